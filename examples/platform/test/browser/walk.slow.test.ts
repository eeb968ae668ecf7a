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
    await fixture.createExamples();
  }, 120_000);
  afterAll(() => fixture.close());

  /** A page that can be reached only through a form. */
  const searchPath = "/invitations/search";
  const goTo = (page: Page, path: string): Promise<unknown> =>
    path === searchPath ? searchAllOrganisations(page) : page.goto(path);

  const variants = [
    ["with scripts, in light", { colorScheme: "light" }],
    ["without scripts, in dark, on a phone", { colorScheme: "dark", javaScriptEnabled: false, ...phone }],
  ] as const;
  /** By default, only the first variant, because zone-stories.slow.test.ts also visits pages in the second. */
  const testedVariants = variants.slice(0, process.env.TEST_MATRIX === "full" ? 2 : 1);

  /** Visits every linked page and `otherPaths`. @returns the visited paths, and the problems found */
  async function findProblems(
    window: Window,
    otherPaths: readonly string[],
  ): Promise<{ paths: string[]; problems: object[] }> {
    const { page, pageErrors } = window;
    const paths: string[] = [];
    const problems: object[] = [];
    const inspect = async (path: string): Promise<void> => {
      const violations = await window.findViolations();
      const messages = [...violations, ...pageErrors.splice(0)];
      // The console also reports the intended 404 of a "not found" page.
      const expectedMessages = messages.filter((text) => path.includes("nowhere") && /status of 404/.test(text));
      if (messages.length > expectedMessages.length) problems.push({ path, messages });
      paths.push(new URL(page.url()).pathname);
    };
    pageErrors.splice(0);
    await walk(page, inspect);
    for (const path of otherPaths) {
      await goTo(page, path);
      await inspect(path);
    }
    return { paths, problems };
  }

  const portalPaths = ["/offers", "/offers/new", "/deliveries", "/invitations", "/company", "/mailbox"];
  const otherPortalPaths = [searchPath, "/sign-in", "/nowhere"];
  const appPaths = ["/app", "/app/contacts"];
  const otherAppPaths = ["/app/sign-in", "/app/nowhere"];

  test.each(testedVariants)("every page of the portal works %s", async (_, options) => {
    const { paths, problems } = await findProblems(await fixture.openPortal(options), otherPortalPaths);
    expect(problems).toEqual([]);
    expect(paths).toEqual(expect.arrayContaining(portalPaths));
    for (const pattern of [/^\/offers\/offer_[^/]+$/, /^\/offers\/[^/]+\/withdraw$/, /^\/deliveries\/.+/])
      expect(paths).toContainEqual(expect.stringMatching(pattern));
  });

  test.each(testedVariants)("every page of the worker's app works %s", async (_, options) => {
    const { paths, problems } = await findProblems(await fixture.openApp(options), otherAppPaths);
    expect(problems).toEqual([]);
    expect(paths).toEqual(expect.arrayContaining(appPaths));
    expect(paths).toContainEqual(expect.stringMatching(/^\/app\/offers\/offer_/));
  });

  test("pages with form errors have no axe violations", async () => {
    const window = await fixture.openPortal();
    const { page } = window;
    const submitInvalid = async (
      path: string,
      button: string,
      enterInvalid = async (): Promise<void> => {},
    ): Promise<void> => {
      await goTo(page, path);
      await enterInvalid();
      // Disable the browser's own validation, which would reject the values.
      await page.locator("form").evaluateAll((forms) => {
        for (const form of forms) (form as HTMLFormElement).noValidate = true;
      });
      await page.getByRole("button", { name: button }).last().click();
      await page.locator("[role=alert], [aria-invalid]").first().waitFor();
      expect({ path, violations: await window.findViolations() }).toEqual({ path, violations: [] });
    };
    await submitInvalid("/offers/new", "Create the offer");
    await submitInvalid("/company", "Check and save", () => page.locator("#baseAddress").fill("ftp://nowhere.example"));
    await submitInvalid(searchPath, "Invite selected people");
    expect(window.pageErrors.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  });

  test.each(variants)("the test event page works %s", async (_, options) => {
    const window = await fixture.openPortal(options);
    const { page, pageErrors } = window;
    await page.goto("/company/test-event");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.locator("#test-result").waitFor();
    expect(await page.locator("ol.attempts > li").count()).toBeGreaterThan(20);
    expect([await window.findViolations(), pageErrors]).toEqual([[], []]);
    const isWider = await page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    expect(isWider).toBe(false);
  });

  test("on a phone, the navigation fits in one row and an offer in a few lines", async () => {
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
    // The limit includes the padding, which is less than one line.
    expect(Math.max(...lines)).toBeLessThan(5);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.viewport.width);
    await page.goto("/deliveries");
    const overflows = await page
      .locator("tbody a")
      .evaluateAll((links) => links.map((link) => getComputedStyle(link).textOverflow));
    expect(new Set(overflows)).toEqual(new Set(["ellipsis"]));
  });

  test("pages load images only from the platform's origin, and no image is broken", async () => {
    const { page } = await fixture.openPortal();
    const origins = new Set<string>();
    page.on("request", (request) => void origins.add(new URL(request.url()).origin));
    await searchAllOrganisations(page);
    const pictures = page.locator(".portrait img");
    await eventually("all pictures have loaded", async () => {
      const widths = await pictures.evaluateAll((images) =>
        images.map((image) => (image as HTMLImageElement).naturalWidth),
      );
      // The last picture cannot be fetched, so a single pixel replaces it.
      return widths.join() === "96,96,1";
    });
    expect([...origins]).toEqual([fixture.platform.address]);
  });
});
