import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { HtmlValidate } from "html-validate";
import { expect, inject, test } from "vitest";
import { entries } from "../../packed/entries.ts";
import { readHtml } from "./read-html.ts";

const site = inject("site");
const pages = inject("pages");
const root = join(import.meta.dirname, "../../..");

test("every page is valid HTML", async () => {
  const validator = new HtmlValidate({ extends: ["html-validate:standard"] });
  const problems: string[] = [];
  for (const page of pages) {
    const { results } = await validator.validateFile(join(site, `${page}.html`));
    for (const { messages } of results)
      for (const { line, ruleId, message } of messages) problems.push(`${page}:${line} ${ruleId} ${message}`);
  }
  expect(problems).toEqual([]);
});

test("every page has a title and a description of its own", () => {
  const seen = new Map<string, string>();
  const problems: string[] = [];
  for (const page of pages) {
    const html = readHtml(site, page);
    const description = html.querySelector("meta[name=description]")?.getAttribute("content") ?? "";
    const title = html.querySelector("title")?.textContent ?? "";
    if (description.length < 20 || title === "") problems.push(`${page}: ${title}: ${description}`);
    seen.set(`${title} ${description}`, page);
  }
  expect(problems).toEqual([]);
  expect(seen.size).toBeGreaterThan(pages.length * 0.9);
});

test("a page loads at most 60 kB of script before the search is opened", () => {
  for (const page of pages) {
    const scripts = readHtml(site, page).querySelectorAll("script");
    expect(scripts.map((script) => script.getAttribute("src")?.replaceAll("../", ""))).toEqual(["site.js"]);
  }
  expect(statSync(join(site, "site.js")).size).toBeLessThan(60_000);
});

test.each(entries.filter(({ source }) => /client|webhook-kit/.test(source)))(
  "documents every export of $name",
  async ({ name, source }) => {
    const text = await readFile(join(root, source), "utf8");
    const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = ""]) => list.split(","));
    const declared = [...text.matchAll(/^export (?:async )?function (\w+)/gm)].map(([, own = ""]) => own);
    const names = [...listed.map((one) => one.replace(/^\s*type\s/, "").trim()), ...declared].filter(Boolean);
    expect(names).not.toEqual([]);
    const documented = pages.map((page) => page.slice(page.lastIndexOf("/") + 1));
    expect(documented).toEqual(expect.arrayContaining(names));
    const titles = pages.map((page) => readHtml(site, page).querySelector("h1")?.textContent ?? "");
    expect(titles).toContain(name);
  },
);
