// Types the questions of readers into the search of the built site.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { parse } from "yaml";
import { openBrowser } from "../../../examples/platform/test/browser/open-browser.ts";

const address = inject("address");

const { missed, known, others, tried } = parse(
  readFileSync(join(import.meta.dirname, "questions.yaml"), "utf8"),
) as Record<"missed" | "known" | "others" | "tried", Record<string, string>>;

let browser: Browser;
let page: Page;
beforeAll(async () => {
  browser = (await openBrowser()).browser;
  page = await (await browser.newContext({ reducedMotion: "reduce" })).newPage();
  // Turn off excerpts, because each would load a page, and only the URLs of the hits matter here.
  await page.addInitScript(() => localStorage.setItem("vitepress:local-search-detailed-list", "false"));
  await page.goto(`${address}index.html`);
  // The page reacts to keys only after Vue has mounted.
  await page.waitForFunction(() => "__vue_app__" in (document.querySelector("#app") ?? {}));
  await page.keyboard.press("/");
  await page.getByRole("searchbox").waitFor();
});
afterAll(() => browser.close());

/** Types the question into the search box. @returns the first three different pages among the hits, in order */
async function searchPages(question: string): Promise<string[]> {
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
    // A single page describes all codes, so the section counts as the hit.
    return path === "errors.html" ? `errors${hash}` : path;
  });
  return [...new Set(paths.map((path) => path.replace(/\.html$/, "").replace(/(?<=^|\/)$/, "index")))].slice(0, 3);
}

describe("the search lists the correct page among the first three hits", () => {
  test.each(Object.entries({ ...missed, ...known }))("%s: %s", async (question, expected) => {
    const hits = await searchPages(question);
    expect(
      expected.split(" or ").filter((path) => hits.includes(path)),
      hits.join(", "),
    ).not.toEqual([]);
  });
});

test.each([
  ["other", others, 60, 3],
  ["tried", tried, 46, 3],
] as const)(
  "the search lists the correct page among the first three hits for all but three of the %s questions",
  async (_, questions, count, allowed) => {
    const failures: string[] = [];
    for (const [question, expected] of Object.entries(questions)) {
      const hits = await searchPages(question);
      if (!expected.split(" or ").some((path) => hits.includes(path)))
        failures.push(`${question}: ${hits.join(", ")} instead of ${expected}`);
    }
    expect(Object.keys(questions).length).toBeGreaterThanOrEqual(count);
    expect(failures.length, failures.join("\n")).toBeLessThanOrEqual(allowed);
  },
);

test("the search has no hits for a query that matches nothing", async () =>
  expect(await searchPages("xyzzyplugh")).toEqual([]));
