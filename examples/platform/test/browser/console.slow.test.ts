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
  "calls an operation from the console in %s, with no request to another origin, no error and no axe violation [D-150]",
  async (colorScheme) => {
    const { address } = fixture.platform;
    const { page, context, complaints, violations } = await openWindow(fixture.browser, {
      baseURL: address,
      colorScheme,
    });
    const elsewhere: string[] = [];
    const failed: string[] = [];
    await context.route(
      (url) => url.origin !== address && url.protocol.startsWith("http"),
      (route) => {
        elsewhere.push(route.request().url());
        return route.abort();
      },
    );
    page.on("requestfailed", (request) => void failed.push(request.url()));
    await page.goto("/docs");
    const test = page.getByRole("button", { name: /Test Request.*post \/offer\)/ }).first();
    await test.waitFor();
    expect(await violations()).toEqual([]);

    await page.getByRole("button", { name: "Open Group - Webhooks" }).click();
    await page
      .getByRole("link", { name: /A worker applied for an offer|response/i })
      .first()
      .waitFor();

    await test.click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: /Send/ }).first().click();
    await dialog.getByText("201 Created").first().waitFor();
    // The response fades in, and has too little contrast until then.
    await page.evaluate(() =>
      Promise.allSettled(
        document
          .getAnimations()
          .filter(({ effect }) => effect?.getTiming().iterations !== Number.POSITIVE_INFINITY)
          .map(({ finished }) => finished),
      ),
    );
    expect(await violations()).toEqual([]);
    await page.getByRole("button", { name: "Close Client" }).locator("visible=true").first().click();
    await expect
      .poll(() =>
        page
          .locator("main")
          .first()
          .evaluate((main) => (main as HTMLElement).inert),
      )
      .toBe(false);
    // A library tests whether it may compile code, and also works if it may not.
    const others = complaints.filter((complaint) => !complaint.includes("kEvalViolation"));
    expect({ elsewhere, failed, others }).toEqual({ elsewhere: [], failed: [], others: [] });
    await context.close();
  },
  120_000,
);
