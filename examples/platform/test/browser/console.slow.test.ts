import { afterAll, beforeAll, expect, test } from "vitest";
import { demoSeedFile } from "../../src/seed/demo-sign-ins.ts";
import { openPagesFixture, type PagesFixture } from "./pages-fixture.ts";
import { openWindow } from "./window.ts";

let fixture: PagesFixture;
beforeAll(async () => {
  fixture = await openPagesFixture({ seedFile: demoSeedFile });
});
afterAll(() => fixture.close());

test.each(["light", "dark"] as const)(
  "the console in %s calls an operation without requests to other origins, errors or axe violations [D-150]",
  async (colorScheme) => {
    const { address } = fixture.platform;
    const { page, context, pageErrors, findViolations } = await openWindow(fixture.browser, {
      baseURL: address,
      colorScheme,
    });
    const foreignUrls: string[] = [];
    const failedUrls: string[] = [];
    await context.route(
      (url) => url.origin !== address && url.protocol.startsWith("http"),
      (route) => {
        foreignUrls.push(route.request().url());
        return route.abort();
      },
    );
    page.on("requestfailed", (request) => void failedUrls.push(request.url()));
    await page.goto("/docs");
    const testRequest = page.getByRole("button", { name: /Test Request.*post \/offer\)/ }).first();
    await testRequest.waitFor();
    expect(await findViolations()).toEqual([]);

    await page.getByRole("button", { name: "Open Group - Webhooks" }).click();
    await page
      .getByRole("link", { name: /A worker applied for an offer|response/i })
      .first()
      .waitFor();

    await testRequest.click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: /Send/ }).first().click();
    await dialog.getByText("201 Created").first().waitFor();
    // Wait until the response has faded in, because it has too little contrast before that.
    await page.evaluate(() =>
      Promise.allSettled(
        document
          .getAnimations()
          .filter(({ effect }) => effect?.getTiming().iterations !== Number.POSITIVE_INFINITY)
          .map(({ finished }) => finished),
      ),
    );
    expect(await findViolations()).toEqual([]);
    await page.getByRole("button", { name: "Close Client" }).locator("visible=true").first().click();
    await expect
      .poll(() =>
        page
          .locator("main")
          .first()
          .evaluate((main) => (main as HTMLElement).inert),
      )
      .toBe(false);
    // Ignore this violation, because a library only tests whether it can compile code, and works even if it cannot.
    const errors = pageErrors.filter((error) => !error.includes("kEvalViolation"));
    expect({ foreignUrls, failedUrls, errors }).toEqual({ foreignUrls: [], failedUrls: [], errors: [] });
    await context.close();
  },
  120_000,
);
