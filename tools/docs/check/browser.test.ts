// The site as a reader opens it: from a folder, in Chromium.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type OpenBrowser, openBrowser } from "../../../examples/platform/test/browser/open-browser.ts";

const site = inject("site");
const pages = inject("pages");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const addressOf = (page: string) => pathToFileURL(join(site, `${page}.html`)).href;

interface AxeResults {
  violations: { id: string; nodes: { html: string }[] }[];
}

let opened: OpenBrowser;
let browser: Browser;
beforeAll(async () => {
  opened = await openBrowser();
  browser = opened.browser;
});
afterAll(() => browser.close());

/** What a page reports: errors on its console, and requests to anywhere but the site. */
function watch(page: Page): string[] {
  const problems: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(pathToFileURL(site).href)) problems.push(request.url());
  });
  return problems;
}

/** @param rule the only one to check; by default all */
async function findViolations(page: Page, rule?: string): Promise<string[]> {
  await page.evaluate(axe);
  const options = { preload: false, ...(rule !== undefined && { runOnly: [rule] }) };
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.length}, such as ${nodes[0]?.html.slice(0, 200)}`);
}

test.each(["light", "dark"] as const)(
  "no page has an error on its console, loads anything from elsewhere, or fails axe: %s",
  async (colorScheme) => {
    const context = await browser.newContext({ colorScheme, reducedMotion: "reduce" });
    const page = await context.newPage();
    const problems = watch(page);
    const violations: string[] = [];
    for (const path of pages) {
      await page.goto(addressOf(path));
      for (const violation of await findViolations(page, colorScheme === "dark" ? "color-contrast" : undefined))
        violations.push(`${path}: ${violation}`);
    }
    await context.close();
    expect(problems).toEqual([]);
    expect(violations).toEqual([]);
  },
);

test("no page is wider than a phone", async () => {
  const context = await browser.newContext({ viewport: { width: 375, height: 700 } });
  const page = await context.newPage();
  const wide: string[] = [];
  for (const path of pages) {
    await page.goto(addressOf(path));
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width > 375) wide.push(`${path}: ${width}`);
  }
  await context.close();
  expect(wide).toEqual([]);
});

test("the search works from a folder, with the keyboard", async () => {
  const page = await browser.newPage();
  const problems = watch(page);
  await page.goto(addressOf("guides/testing"));
  await page.keyboard.press("/");
  await page.getByRole("searchbox").fill("rotate secret");
  const hit = page.locator(".results a").first();
  await hit.waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await page.waitForURL(/production\.html/);
  expect(problems).toEqual([]);
});

test("the chosen theme is kept on the next page", async () => {
  const page = await browser.newPage({ colorScheme: "light" });
  await page.goto(addressOf("index"));
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.getByRole("button", { name: "Theme" }).click();
  await page.getByRole("button", { name: "Theme" }).click();
  const dark = await background();
  expect(dark).not.toBe(light);
  await page.goto(addressOf("errors/index"));
  expect(await background()).toBe(dark);
});

test("a reader without scripts has the navigation and no dead buttons", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 375, height: 700 } });
  const page = await context.newPage();
  await page.goto(addressOf("index"));
  expect(await page.getByRole("button").filter({ visible: true }).count()).toBe(0);
  await page.getByRole("link", { name: "Delivery semantics" }).first().click();
  expect(page.url()).toContain("guides/delivery.html");
});
