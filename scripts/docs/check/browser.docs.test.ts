// Checks the site in Chromium, under a path prefix.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { openBrowser } from "../../../examples/platform/test/browser/open-browser.ts";

const pages = inject("pages");
const address = inject("address");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The most-read pages, from the start page to a running integration. */
const mostReadPages = [
  "index",
  "guides/first-offer",
  "guides/first-webhook",
  "guides/testing",
  "guides/frameworks/fastify",
  "guides/delivery",
  "guides/production",
  "guides/offers",
  "guides/api-keys",
  "guides/contact-suggestions",
  "guides/without-a-clone",
  "client/index",
  "webhook-kit/index",
  "cli/index",
  "operations/create-offer",
  "events/worker-offer-response",
];

interface AxeResults {
  violations: { id: string; nodes: { html: string }[] }[];
}

let browser: Browser;
beforeAll(async () => {
  browser = (await openBrowser()).browser;
});
afterAll(() => browser.close());

const widths = { phone: 390, laptop: 1280, desktop: 1440, wide: 1920 };

async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  return context.newPage();
}

const visit = (page: Page, path: string) => page.goto(`${address}${path}.html`, { waitUntil: "load" });

/**
 * Starts to collect console errors and warnings, uncaught errors, and requests to other sites.
 *
 * @returns the array to which they are added
 */
function collectProblems(page: Page): string[] {
  const problems: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("request", (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(address)) problems.push(request.url());
  });
  return problems;
}

/** Runs axe on the page. @param rule the only rule to check. @default all rules */
async function findViolations(page: Page, rule?: string): Promise<string[]> {
  await page.evaluate(axe);
  const options = { preload: false, ...(rule !== undefined && { runOnly: [rule] }) };
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.length}, such as ${nodes[0]?.html.slice(0, 200)}`);
}

test.each(["light", "dark"] as const)(
  "no page logs an error, loads a resource from another site, or fails axe: %s",
  async (colorScheme) => {
    const page = await openPage({ colorScheme });
    const problems = collectProblems(page);
    const violations: string[] = [];
    for (const path of pages) {
      await visit(page, path);
      for (const violation of await findViolations(page, colorScheme === "dark" ? "color-contrast" : undefined))
        violations.push(`${path}: ${violation}`);
    }
    await page.context().close();
    expect(violations).toEqual([]);
    expect(problems).toEqual([]);
  },
);

test("no page and no picture is wider than a phone", async () => {
  const page = await openPage({ viewport: { width: widths.phone, height: 844 } });
  const widePages: string[] = [];
  for (const path of pages) {
    await visit(page, path);
    const width = await page.evaluate(() =>
      Math.max(
        document.documentElement.scrollWidth,
        ...[...document.querySelectorAll(".vp-doc img")].map((image) => image.getBoundingClientRect().right),
      ),
    );
    if (width > widths.phone) widePages.push(`${path}: ${width}`);
  }
  await page.context().close();
  expect(widePages).toEqual([]);
});

describe.each([widths.laptop, widths.desktop, widths.wide])("at %i px", (width) => {
  test("no code block on the most-read pages is cut off or smaller than 13 px", async () => {
    const page = await openPage({ viewport: { width, height: 900 } });
    const faultyBlocks: string[] = [];
    let blockCount = 0;
    for (const path of mostReadPages) {
      await visit(page, path);
      await page.evaluate(() => document.fonts.ready);
      const blocks = await page.evaluate(() =>
        [...document.querySelectorAll(".vp-doc pre")].map((block) => ({
          isCut: block.scrollWidth > block.clientWidth,
          size: Number.parseFloat(getComputedStyle(block.querySelector("code") ?? block).fontSize),
          start: block.textContent?.slice(0, 60),
        })),
      );
      blockCount += blocks.length;
      for (const { isCut, size, start } of blocks)
        if (isCut || size < 13) faultyBlocks.push(`${path}: ${size} px: ${start}`);
    }
    await page.context().close();
    expect(faultyBlocks).toEqual([]);
    expect(blockCount).toBeGreaterThan(60);
  });
});

test("at 1280 px, the outline is on the right, and the first page shows its code without scrolling", async () => {
  const page = await openPage({ viewport: { width: widths.laptop, height: 800 } });
  await visit(page, "guides/first-webhook");
  const outline = await page.getByRole("navigation", { name: "On this page" }).boundingBox();
  expect(outline?.x).toBeGreaterThan(1_000);
  await visit(page, "index");
  const ends = await page
    .locator(".front-code pre")
    .evaluateAll((blocks) => blocks.map((block) => block.getBoundingClientRect().bottom));
  expect(ends.length).toBe(2);
  expect(Math.max(...ends)).toBeLessThanOrEqual(800);
  await page.context().close();
});

test("on a phone, no table row of an operation or an event is higher than half the screen", async () => {
  const page = await openPage({ viewport: { width: widths.phone, height: 844 } });
  const highRows: string[] = [];
  for (const path of pages.filter((path) => /^(?:operations|events)\//.test(path))) {
    await visit(page, path);
    const rows = await page
      .locator(".vp-doc tr")
      .evaluateAll((all) => all.map((row) => [row.getBoundingClientRect().height, row.textContent?.slice(0, 40)]));
    // Half of the viewport height.
    for (const [height, text] of rows) if (Number(height) > 422) highRows.push(`${path}: ${height}: ${text}`);
  }
  await page.context().close();
  expect(highRows).toEqual([]);
});

test("the page for an unknown URL offers the search", async () => {
  const page = await openPage();
  await page.goto(`${address}404.html`);
  await page.waitForFunction(() => "__vue_app__" in (document.querySelector("#app") ?? {}));
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole("button", { name: "Search the documentation" }).click();
  await page.getByRole("searchbox").waitFor();
  await page.context().close();
});

test("the search works with the keyboard, shows hits in context, and passes axe", async () => {
  const page = await openPage();
  const problems = collectProblems(page);
  await visit(page, "guides/testing");
  // The page reacts to keys only after Vue has mounted.
  await page.waitForFunction(() => "__vue_app__" in (document.querySelector("#app") ?? {}));
  await page.keyboard.press("/");
  await page.getByRole("searchbox").fill("rotate secret");
  await page.locator(".result .excerpt mark").first().waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/guides\/|\/client\/|\/errors/);
  expect(problems).toEqual([]);
  await page.context().close();
});

test("the language that a reader selects stays selected on the next page", async () => {
  const page = await openPage();
  await visit(page, "operations/create-offer");
  await page.getByRole("tab", { name: "Python" }).click();
  await visit(page, "operations/get-offer");
  expect(await page.getByRole("tab", { name: "Python" }).getAttribute("aria-selected")).toBe("true");
  expect(await page.locator(".vp-doc").textContent()).toContain("urllib.request");
  await page.context().close();
});

test("a page has links to the previous and next page, its headings and its Markdown, and buttons that copy code", async () => {
  const context = await browser.newContext({ viewport: { width: widths.desktop, height: 900 } });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  await visit(page, "guides/first-webhook");
  expect(await page.locator(".pager-link.prev").textContent()).toContain("Your first offer");
  expect(await page.locator(".pager-link.next").textContent()).toContain("Without a clone");
  expect(await page.getByRole("navigation", { name: "On this page" }).getByRole("link").count()).toBeGreaterThan(5);
  await page.locator(".vp-doc button.copy").first().click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("webhookRouter");
  await page.getByRole("button", { name: "Copy page" }).click();
  await page.getByText("Copied", { exact: true }).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^# Your first webhook\n/);
  await page.getByRole("link", { name: "View as Markdown" }).click();
  expect(page.url()).toBe(`${address}guides/first-webhook.md`);
  await context.close();
});

test("the theme that a reader selects applies to diagrams, and stays selected on the next page", async () => {
  const page = await openPage({ colorScheme: "light", viewport: { width: widths.laptop, height: 900 } });
  await visit(page, "guides/delivery");
  const readColours = async () => ({
    background: await page.evaluate(() => getComputedStyle(document.body).backgroundColor),
    diagram: await page.locator(".vp-doc img").first().screenshot(),
  });
  const light = await readColours();
  await page.getByRole("switch").first().click();
  const dark = await readColours();
  expect(dark.background).not.toBe(light.background);
  expect(dark.diagram.equals(light.diagram)).toBe(false);
  await visit(page, "errors");
  expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(dark.background);
  await page.context().close();
});

test("without scripts, a reader has the navigation and no dead buttons", async () => {
  const page = await openPage({ javaScriptEnabled: false, viewport: { width: widths.phone, height: 844 } });
  await visit(page, "guides/first-offer");
  expect(await page.getByRole("button").filter({ visible: true }).count()).toBe(0);
  await page.getByRole("link", { name: "Delivery semantics" }).filter({ visible: true }).first().click();
  expect(page.url()).toContain("guides/delivery.html");
  await page.context().close();
});
