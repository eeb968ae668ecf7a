import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPagesFixture, type PagesFixture, phone } from "./pages-fixture.ts";
import { openWindow } from "./window.ts";

describe("keyboard use", () => {
  let fixture: PagesFixture;
  beforeAll(async () => {
    fixture = await openPagesFixture();
  });
  afterAll(() => fixture.close());

  /** Presses Tab until the element has focus, and asserts that the focus is visible. */
  async function tabTo(page: Page, target: Locator): Promise<void> {
    for (let presses = 0; presses < 60; presses += 1) {
      await page.keyboard.press("Tab");
      if (await target.evaluate((element) => element === document.activeElement)) {
        const outline = await target.evaluate((element) => getComputedStyle(element).outlineStyle);
        expect(outline, "the focus is visible").not.toBe("none");
        return;
      }
    }
    throw new Error(`Tab does not reach ${target}`);
  }
  const tabToAndPress = async (page: Page, target: Locator, key: string): Promise<void> => {
    await tabTo(page, target);
    await page.keyboard.press(key);
  };
  async function signIn(page: Page, path: string, name: string): Promise<void> {
    await page.goto(path);
    await tabTo(page, page.locator("#name"));
    await page.keyboard.type(name);
    await tabTo(page, page.locator("#password"));
    await page.keyboard.type("demo-password");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => !url.pathname.endsWith("/sign-in"));
  }

  test("with only the keyboard, a worker signs in and applies, and a hirer completes the offer", async () => {
    const id = await fixture.createOffer("Kitchen help on Friday");
    const baseURL = fixture.platform.address;
    const { page: app } = await openWindow(fixture.browser, { baseURL, ...phone });
    await signIn(app, "/app/sign-in", "worker_amal");
    await tabToAndPress(app, app.getByRole("link", { name: "Kitchen help on Friday" }).first(), "Enter");
    await app.waitForURL(`**/app/offers/${id}`);
    await tabToAndPress(app, app.getByRole("button", { name: "Apply" }), "Enter");
    await app.getByText("You applied. The decision is pending.").waitFor();

    const { page: portal } = await openWindow(fixture.browser, { baseURL });
    await signIn(portal, `/sign-in?next=/offers`, "hana@harbour-hotels.example");
    await tabToAndPress(portal, portal.getByRole("link", { name: "Kitchen help on Friday" }).first(), "Enter");
    await portal.waitForURL(`**/offers/${id}`);
    await tabToAndPress(portal, portal.getByRole("checkbox", { name: "Amal" }), "Space");
    await tabToAndPress(portal, portal.getByRole("button", { name: "Complete with selected workers" }), "Enter");
    await portal.getByRole("heading", { name: "Give the work to 1 worker?" }).waitFor();
    await tabToAndPress(portal, portal.getByRole("button", { name: "Complete the offer" }), "Enter");
    await portal.getByText("Gets the work").waitFor();
    await app.getByText("You got the work.").waitFor();
  });

  test("a live update preserves the selection and the focus", async () => {
    const id = await fixture.createOffer("Bar on Saturday");
    await fixture.respond("worker_amal", "apply", id);
    const { page } = await fixture.openPortal();
    await page.goto(`/offers/${id}`);
    const checkbox = page.getByRole("checkbox", { name: "Amal" });
    await tabToAndPress(page, checkbox, "Space");
    await fixture.respond("worker_ben", "apply", id);
    await page.getByRole("checkbox", { name: "Ben" }).waitFor();
    expect(await checkbox.isChecked()).toBe(true);
    expect(await checkbox.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test("the first Tab stop skips the navigation", async () => {
    const { page } = await fixture.openPortal();
    await page.goto("/offers");
    await tabToAndPress(page, page.getByRole("link", { name: "Skip to content" }), "Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("Create an offer");
  });
});
