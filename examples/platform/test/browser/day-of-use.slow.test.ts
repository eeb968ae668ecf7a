import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { secret } from "./integrator.ts";
import { openPagesFixture, type PagesFixture } from "./pages-fixture.ts";

describe("after a day of use", () => {
  let fixture: PagesFixture;
  beforeAll(async () => {
    fixture = await openPagesFixture();
  });
  afterAll(() => fixture.close());

  test("a form whose session ended elsewhere asks to sign in again and keeps the input", async () => {
    const { page, context, complaints } = await fixture.openPortal();
    await page.goto("/offers/new");
    await page.getByLabel("Title").fill("Typed for ten minutes");
    await page.getByRole("checkbox", { name: "Amal" }).check();
    const other = await context.newPage();
    await other.goto("/offers");
    await other.getByRole("button", { name: "Sign out" }).click();
    await other.waitForURL("**/sign-in");
    await page.getByRole("button", { name: "Create the offer" }).last().click();
    await page.getByText("what you typed is kept").waitFor();
    await page.locator("#name").fill("hana@harbour-hotels.example");
    await page.locator("#password").fill("demo-password");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("You have signed in again.").waitFor();
    expect(await page.getByLabel("Title").inputValue()).toBe("Typed for ten minutes");
    expect(await page.getByRole("checkbox", { name: "Amal" }).isChecked()).toBe(true);
    await page.getByRole("button", { name: "Create the offer" }).last().click();
    await page.getByRole("heading", { name: "Typed for ten minutes" }).waitFor();
    // The browser reports each 401 itself.
    expect(complaints.filter((each) => !each.includes("401"))).toEqual([]);
    await context.close();
  });

  test("a worker sees a new offer on another page, and no old notice with a new state", async () => {
    const { page, context } = await fixture.openApp();
    await page.goto("/app/shifts");
    const id = await fixture.createOffer("Arrives meanwhile");
    await page.getByText("New offer: Arrives meanwhile").waitFor();
    expect(await page.title()).toMatch(/^\(\d+\) Shifts/);
    await page.getByRole("link", { name: "Arrives meanwhile" }).click();
    await page.getByRole("button", { name: "Apply" }).click();
    const notice = page.getByText("You will be notified when the work is assigned.");
    await notice.waitFor();
    await fixture.respond("worker_ben", "apply", id);
    const options = { key: "demo-key-harbour", json: ["worker_ben"] };
    await fixture.platform.call("POST", `/offer/${id}/complete?api-version=1.0`, options);
    await page.getByText("The work went to others this time.").waitFor();
    await notice.waitFor({ state: "detached" });
    await context.close();
  });

  test("a secret is generated, shown and copied", async () => {
    const { page, context } = await fixture.openPortal({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto("/company");
    const input = page.locator("#secret");
    await page.getByRole("button", { name: "Generate a secret" }).first().click();
    const generated = await input.inputValue();
    expect(Buffer.from(generated, "base64")).toHaveLength(32);
    expect(await input.getAttribute("type")).toBe("text");
    await page.getByRole("button", { name: "Copy the secret" }).first().click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(generated);
    await page.getByRole("button", { name: "Hide" }).first().click();
    expect(await input.getAttribute("type")).toBe("password");
    await context.close();
  });

  test("an offer's bar shows how many are selected, stays visible, and is two Tab stops from its list", async () => {
    const id = await fixture.createOffer("To select from");
    for (const worker of ["worker_amal", "worker_ben"]) await fixture.respond(worker, "apply", id);
    const { page, context } = await fixture.openPortal({ viewport: { width: 1280, height: 420 } });
    await page.goto(`/offers/${id}`);
    await page.getByRole("checkbox", { name: "Amal" }).check();
    await page.getByRole("checkbox", { name: "Ben" }).check();
    await page.getByText("2 selected").waitFor();
    await page.locator("#recipients-title").scrollIntoViewIfNeeded();
    const bar = await page.locator("#complete-bar").boundingBox();
    expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeLessThanOrEqual(421);
    await page.getByRole("link", { name: "Skip the list of recipients" }).press("Enter");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("Complete with selected workers");
    await context.close();
  });

  // 200 % zoom of 1440 is a viewport of 720.
  test.each([1440, 1280, 720, 390])(
    "no page is wider than %i px, even with a long word, and axe finds nothing",
    async (width) => {
      await fixture.createOffer(
        "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft".repeat(2),
      );
      const token = await fixture.platform.signInPerson("hana@harbour-hotels.example");
      const json = { baseAddress: fixture.integrator.baseAddress, secret, suggestsContacts: false };
      await fixture.platform.call("PUT", "/portal/profile", { token, json });
      for (const colorScheme of ["light", "dark"] as const) {
        const { page, context, violations, complaints } = await fixture.openPortal({
          viewport: { width, height: 900 },
          colorScheme,
        });
        for (const path of ["/offers", "/offers/new", "/deliveries", "/deliveries/redeliver", "/company"]) {
          await page.goto(path);
          expect(
            await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
            path,
          ).toBeLessThanOrEqual(0);
          expect(await violations(), path).toEqual([]);
        }
        expect(complaints).toEqual([]);
        await context.close();
      }
    },
  );

  test("in forced colours the selected filter and the active page have an outline", async () => {
    const { page, context } = await fixture.openPortal({ forcedColors: "active" });
    await page.goto("/offers?state=open");
    const outlines = await page
      .locator('[aria-current="true"], [aria-current="page"]')
      .evaluateAll((all) => all.map((each) => getComputedStyle(each).outlineStyle));
    expect(new Set(outlines)).toEqual(new Set(["solid"]));
    await context.close();
  });
});
