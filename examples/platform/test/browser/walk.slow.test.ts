import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { openPagesFixture, type PagesFixture, phone, searchAllOrganisations } from "./pages-fixture.ts";
import { walk } from "./walk.ts";
import type { Window } from "./window.ts";

describe("every page", () => {
  let fixture: PagesFixture;
  beforeAll(async () => {
    fixture = await openPagesFixture({ retrySchedule: { delaysMs: [50], jitter: 0, maxRetryAfterMs: 1_000 } });
    await fixture.fill();
  }, 120_000);
  afterAll(() => fixture.close());

  /** A page that can be reached only through a form. */
  const search = "/invitations/search";
  const goTo = (page: Page, path: string): Promise<unknown> =>
    path === search ? searchAllOrganisations(page) : page.goto(path);

  const variants = [
    ["with scripts, in light", { colorScheme: "light" }],
    ["without scripts, in dark, on a phone", { colorScheme: "dark", javaScriptEnabled: false, ...phone }],
  ] as const;
  /** The variants to test; zone-stories.slow.test.ts covers them too. */
  const tried = variants.slice(0, process.env.TEST_MATRIX === "full" ? 2 : 1);

  /** Visits every linked page and a missing one. @returns their paths and problems */
  async function faultsOn(window: Window, others: readonly string[]): Promise<{ paths: string[]; faults: object[] }> {
    const { page, complaints } = window;
    const paths: string[] = [];
    const faults: object[] = [];
    const look = async (path: string): Promise<void> => {
      const violations = await window.violations();
      const found = [...violations, ...complaints.splice(0)];
      // A "not found" page has status 404, which the console also reports.
      const meant = found.filter((text) => path.includes("nowhere") && /status of 404/.test(text));
      if (found.length > meant.length) faults.push({ path, found });
      paths.push(new URL(page.url()).pathname);
    };
    complaints.splice(0);
    await walk(page, look);
    for (const path of others) {
      await goTo(page, path);
      await look(path);
    }
    return { paths, faults };
  }

  const portalPaths = ["/offers", "/offers/new", "/deliveries", "/invitations", "/company", "/mailbox"];
  const portalOthers = [search, "/sign-in", "/nowhere"];
  const appPaths = ["/app", "/app/contacts"];
  const appOthers = ["/app/sign-in", "/app/nowhere"];

  test.each(tried)("of the portal works %s", async (_, options) => {
    const { paths, faults } = await faultsOn(await fixture.openPortal(options), portalOthers);
    expect(faults).toEqual([]);
    expect(paths).toEqual(expect.arrayContaining(portalPaths));
    for (const kind of [/^\/offers\/offer_[^/]+$/, /^\/offers\/[^/]+\/withdraw$/, /^\/deliveries\/.+/])
      expect(paths).toContainEqual(expect.stringMatching(kind));
  });

  test.each(tried)("of the worker's app works %s", async (_, options) => {
    const { paths, faults } = await faultsOn(await fixture.openApp(options), appOthers);
    expect(faults).toEqual([]);
    expect(paths).toEqual(expect.arrayContaining(appPaths));
    expect(paths).toContainEqual(expect.stringMatching(/^\/app\/offers\/offer_/));
  });

  test("with form errors works", async () => {
    const window = await fixture.openPortal();
    const { page } = window;
    const send = async (path: string, button: string, spoil = async (): Promise<void> => {}): Promise<void> => {
      await goTo(page, path);
      await spoil();
      // Disable the browser's own validation, which would reject the values.
      await page.locator("form").evaluateAll((forms) => {
        for (const form of forms) (form as HTMLFormElement).noValidate = true;
      });
      await page.getByRole("button", { name: button }).last().click();
      await page.locator("[role=alert], [aria-invalid]").first().waitFor();
      expect({ path, violations: await window.violations() }).toEqual({ path, violations: [] });
    };
    await send("/offers/new", "Create the offer");
    await send("/company", "Check and save", () => page.locator("#baseAddress").fill("ftp://nowhere.example"));
    await send(search, "Invite selected people");
    expect(window.complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  });

  test.each(variants)("of test events works %s", async (_, options) => {
    const window = await fixture.openPortal(options);
    const { page, complaints } = window;
    await page.goto("/company/test-event");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.locator("#test-result").waitFor();
    expect(await page.locator("ol.attempts > li").count()).toBeGreaterThan(20);
    expect([await window.violations(), complaints]).toEqual([[], []]);
    const isWider = await page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    expect(isWider).toBe(false);
  });

  test("fits its navigation in one row and an offer in three lines on a phone", async () => {
    const { page } = await fixture.openPortal(phone);
    await page.goto("/offers");
    const tops = await page
      .locator("header nav a")
      .evaluateAll((links) => links.map((link) => Math.round(link.getBoundingClientRect().top)));
    expect([tops.length, new Set(tops).size]).toEqual([5, 1]);
    expect(await page.locator("header nav ul").evaluate((list) => list.scrollWidth - list.clientWidth)).toBe(0);
    const lines = await page
      .locator("tbody tr")
      .evaluateAll((rows) => rows.map((row) => row.clientHeight / Number.parseFloat(getComputedStyle(row).lineHeight)));
    expect(lines.length).toBeGreaterThan(4);
    // The padding takes less than one line.
    expect(Math.max(...lines)).toBeLessThan(5);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.viewport.width);
    await page.goto("/deliveries");
    const ends = await page
      .locator("tbody a")
      .evaluateAll((links) => links.map((link) => getComputedStyle(link).textOverflow));
    expect(new Set(ends)).toEqual(new Set(["ellipsis"]));
  });

  test("loads images only from our origin, and none is broken", async () => {
    const { page } = await fixture.openPortal();
    const hosts = new Set<string>();
    page.on("request", (request) => void hosts.add(new URL(request.url()).origin));
    await searchAllOrganisations(page);
    const pictures = page.locator(".portrait img");
    await eventually("all have come", async () => {
      const widths = await pictures.evaluateAll((all) => all.map((image) => (image as HTMLImageElement).naturalWidth));
      // The last image cannot be fetched, so a single pixel replaces it.
      return widths.join() === "96,96,1";
    });
    expect([...hosts]).toEqual([fixture.platform.address]);
  });
});
