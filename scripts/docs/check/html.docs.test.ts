import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { HtmlValidate } from "html-validate";
import { expect, inject, test } from "vitest";
import { entries } from "../../release/packages/packages.ts";
import { readHtml } from "./read-html.ts";

const site = inject("site");
const pages = inject("pages");
const address = inject("address");
const root = join(import.meta.dirname, "../../..");

test("every page is valid HTML", async () => {
  const validator = new HtmlValidate({ extends: ["html-validate:standard"] });
  const problems: string[] = [];
  for (const page of pages) {
    const { results } = await validator.validateFile(join(site, `${page}.html`));
    // The rule compares the whole value of rel, so it rejects the valid `as` of rel="preload stylesheet".
    for (const { messages } of results)
      for (const { line, ruleId, message } of messages)
        if (!(ruleId === "attribute-misuse" && message.startsWith('"as"')))
          problems.push(`${page}:${line} ${ruleId} ${message}`);
  }
  expect(problems).toEqual([]);
});

test("every page has a title and a description, and at most a tenth of the pages share theirs", () => {
  const headings = new Set<string>();
  const problems: string[] = [];
  for (const page of pages) {
    const html = readHtml(site, page);
    const description = html.querySelector("meta[name=description]")?.getAttribute("content") ?? "";
    const title = html.querySelector("title")?.textContent ?? "";
    if (description.length < 20 || title === "") problems.push(`${page}: ${title}: ${description}`);
    headings.add(`${title} ${description}`);
  }
  expect(problems).toEqual([]);
  expect(headings.size).toBeGreaterThan(pages.length * 0.9);
});

// The scripts include Vue and the theme, which are cached for later pages.
test("a page loads at most 110 kB of compressed script before the search is opened", () => {
  const prefix = new URL(address).pathname;
  for (const page of pages) {
    const files = readHtml(site, page)
      .querySelectorAll("script[src], link[rel=modulepreload]")
      .map((element) => element.getAttribute("src") ?? element.getAttribute("href") ?? "");
    const size = [...new Set(files)]
      .map((file) => gzipSync(readFileSync(join(site, file.replace(prefix, "")))).length)
      .reduce((sum, bytes) => sum + bytes, 0);
    expect(size, page).toBeLessThan(110_000);
  }
});

test("every entry point of the packages is documented, with every export", async () => {
  const titles = new Set(pages.map((page) => readHtml(site, page).querySelector("h1")?.firstChild?.textContent.trim()));
  const documentedNames = new Set(pages.map((page) => page.slice(page.lastIndexOf("/") + 1)));
  for (const { name, source } of entries.filter((entry) => /client|webhook-kit/.test(entry.source))) {
    const text = await readFile(join(root, source), "utf8");
    const listedNames = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)]
      .flatMap(([, list = ""]) => list.split(","))
      .map((item) => item.replace(/^\s*type\s/, "").trim())
      .filter((exportName) => exportName !== "");
    const declarations = text.matchAll(/^export (?:async )?function (\w+)/gm);
    const names = [...listedNames, ...[...declarations].map(([, exportName = ""]) => exportName)];
    expect(names, name).not.toEqual([]);
    expect(
      names.filter((exportName) => !documentedNames.has(exportName)),
      name,
    ).toEqual([]);
    expect(titles).toContain(name);
  }
});
