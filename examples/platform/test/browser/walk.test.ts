import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { openPagesStage, type PagesStage, phone, searchAllOrganisations } from "./pages-stage.ts";
import { walk } from "./walk.ts";
import type { Window } from "./window.ts";

describe("every page", () => {
  let stage: PagesStage;
  beforeAll(async () => {
    stage = await openPagesStage({ retrySchedule: { delaysMs: [50], jitter: 0, maxRetryAfterMs: 1_000 } });
    await stage.fill();
  }, 120_000);
  afterAll(() => stage.close());

  /** A page that a form leads to, not a link. */
  const search = "/invitations/search";
  const goTo = (page: Page, path: string): Promise<unknown> =>
    path === search ? searchAllOrganisations(page) : page.goto(path);

  const light = { colorScheme: "light" } as const;
  const plain = { colorScheme: "dark", javaScriptEnabled: false } as const;

  /** Where links lead, and where they do not; with what is found wrong at each. */
  async function faultsOn(window: Window, others: readonly string[]): Promise<{ paths: string[]; faults: object[] }> {
    const { page, complaints } = window;
    const paths: string[] = [];
    const faults: object[] = [];
    const look = async (path: string): Promise<void> => {
      const violations = await window.violations();
      const found = [...violations, ...complaints.splice(0)];
      // A "not found" page has status 404, which the console reports too.
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

  test.each([
    ["with scripts, in light", light],
    ["without scripts, in dark, on a phone", { ...plain, ...phone }],
  ])("of the portal is without fault %s", async (_, options) => {
    const { paths, faults } = await faultsOn(await stage.openPortal(options), portalOthers);
    expect(faults).toEqual([]);
    expect(paths).toEqual(expect.arrayContaining(portalPaths));
    for (const kind of [/^\/offers\/offer_[^/]+$/, /^\/offers\/[^/]+\/withdraw$/, /^\/deliveries\/.+/])
      expect(paths).toContainEqual(expect.stringMatching(kind));
  });

  test.each([
    ["with scripts, in light", light],
    ["without scripts, in dark", plain],
  ])("of the worker's app is without fault %s", async (_, options) => {
    const { paths, faults } = await faultsOn(await stage.openApp(options), appOthers);
    expect(faults).toEqual([]);
    expect(paths).toEqual(expect.arrayContaining(appPaths));
    expect(paths).toContainEqual(expect.stringMatching(/^\/app\/offers\/offer_/));
  });

  test("that says what is wrong with a form is without fault", async () => {
    const window = await stage.openPortal();
    const { page } = window;
    const send = async (path: string, button: string, spoil = async (): Promise<void> => {}): Promise<void> => {
      await goTo(page, path);
      await spoil();
      // What the browser itself would refuse.
      await page.locator("form").evaluateAll((forms) => {
        for (const form of forms) (form as HTMLFormElement).noValidate = true;
      });
      await page.getByRole("button", { name: button }).last().click();
      await page.locator("[role=alert], [aria-invalid]").first().waitFor();
      expect({ path, violations: await window.violations() }).toEqual({ path, violations: [] });
    };
    await send("/offers/new", "Create the offer");
    await send("/company", "Check and save", () => page.getByLabel("Base address").fill("ftp://nowhere.example"));
    await send(search, "Invite selected people");
    expect(window.complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  });

  test("has pictures from us alone, and none is broken", async () => {
    const { page } = await stage.openPortal();
    const hosts = new Set<string>();
    page.on("request", (request) => void hosts.add(new URL(request.url()).origin));
    await searchAllOrganisations(page);
    const pictures = page.locator(".portrait img");
    await eventually("all have come", async () => {
      const widths = await pictures.evaluateAll((all) => all.map((image) => (image as HTMLImageElement).naturalWidth));
      // The last one there is none of: its place is held by a dot.
      return widths.join() === "96,96,1";
    });
    expect([...hosts]).toEqual([stage.platform.address]);
  });
});
