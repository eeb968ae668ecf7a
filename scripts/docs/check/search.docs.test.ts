// The questions of readers, typed into the search of the built site.
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { parse } from "yaml";
import { openBrowser } from "../../../examples/platform/test/browser/open-browser.ts";

const address = inject("address");
const pages = inject("pages");
const site = inject("site");

const { missed, known, others } = parse(readFileSync(join(import.meta.dirname, "questions.yaml"), "utf8")) as Record<
  "missed" | "known" | "others",
  Record<string, string>
>;

let browser: Browser;
let page: Page;
beforeAll(async () => {
  browser = (await openBrowser()).browser;
  page = await (await browser.newContext({ reducedMotion: "reduce" })).newPage();
  // Only the addresses of the hits matter here: their excerpts would load a page each.
  await page.addInitScript(() => localStorage.setItem("vitepress:local-search-detailed-list", "false"));
  await page.goto(`${address}index.html`);
  // Before it is mounted, the page hears no key.
  await page.waitForFunction(() => "__vue_app__" in (document.querySelector("#app") ?? {}));
  await page.keyboard.press("/");
  await page.getByRole("searchbox").waitFor();
});
afterAll(() => browser.close());

/** The pages of the first hits, as a reader sees them. */
async function find(question: string): Promise<string[]> {
  await page.getByRole("searchbox").fill("");
  await page.waitForFunction(() => document.querySelectorAll(".results .result").length === 0);
  await page.getByRole("searchbox").fill(question);
  await page.locator(".results .result, .no-results").first().waitFor();
  const links = await page
    .locator(".results .result")
    .evaluateAll((hits) => hits.map((hit) => hit.getAttribute("href") ?? ""));
  const paths = links.map((link) => {
    const { pathname, hash } = new URL(link, address);
    const path = pathname.slice(new URL(address).pathname.length);
    // One page has all codes: its section is what was found.
    return path === "errors.html" ? `errors${hash}` : path;
  });
  return [...new Set(paths.map((path) => path.replace(/\.html$/, "").replace(/(?<=^|\/)$/, "index")))].slice(0, 3);
}

describe("leads to the right page within three", () => {
  test.each(Object.entries({ ...missed, ...known }))("%s: %s", async (question, expected) => {
    const found = await find(question);
    expect(
      expected.split(" or ").filter((path) => found.includes(path)),
      found.join(", "),
    ).not.toEqual([]);
  });
});

test("of the other questions, at least 57 of 60 lead to the right page within three", async () => {
  const wrong: string[] = [];
  for (const [question, expected] of Object.entries(others)) {
    const found = await find(question);
    if (!expected.split(" or ").some((path) => found.includes(path)))
      wrong.push(`${question}: ${found.join(", ")} and not ${expected}`);
  }
  console.log(`${Object.keys(others).length - wrong.length} of ${Object.keys(others).length} questions found`, wrong);
  expect(Object.keys(others).length).toBeGreaterThanOrEqual(60);
  expect(wrong.length).toBeLessThanOrEqual(3);
});

test("a query that matches nothing finds nothing", async () => expect(await find("xyzzyplugh")).toEqual([]));

test("a keyword has a section: every page mentions each of its keywords", async () => {
  const unmentioned: string[] = [];
  for (const path of pages) {
    const mentioned = new Set(wordsOf(await readFile(join(site, `${path}.md`), "utf8")));
    const [, keywords = ""] =
      /<meta name="keywords" content="([^"]*)">/.exec(await readFile(join(site, `${path}.html`), "utf8")) ?? [];
    for (const keyword of keywords.split(", ").filter(Boolean))
      if (!wordsOf(keyword).every((word) => mentioned.has(word))) unmentioned.push(`${path}: ${keyword}`);
  }
  expect(unmentioned).toEqual([]);
});

/** Without the endings of plurals and verbs, and without the words that every page has. */
const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}+#.:]*/gu) ?? [])
    .map((word) => word.replace(/(?:ations?|ings?|ed|es|s|e)?[.:]*$/, ""))
    .filter((word) => !/^(?:an?|of|th|to)$/.test(word));
