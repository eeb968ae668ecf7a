import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { parse } from "yaml";
import { openIndex } from "../search/search-pages.ts";

const site = inject("site");
const script = readFileSync(join(site, "search-index.js"), "utf8");
const find = openIndex(JSON.parse(script.slice(script.indexOf("=") + 1, script.lastIndexOf(";"))));
const questions = Object.entries(
  parse(readFileSync(join(import.meta.dirname, "../search/questions.yaml"), "utf8")) as Record<string, string>,
);

test("there are thirty questions", () => expect(questions.length).toBeGreaterThanOrEqual(30));

test.each(questions)("%s leads to %s within three hits", (question, page) => {
  const hits = find(question)
    .slice(0, 3)
    .map(({ path }) => path);
  expect(hits).toContain(page);
});

test("a query that matches nothing finds nothing", () => expect(find("xyzzyplugh")).toEqual([]));
