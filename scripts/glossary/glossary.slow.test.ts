import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readDecisions } from "../ci/contract.ts";
import { readGlossary } from "./read-glossary.ts";

const root = join(import.meta.dirname, "../..");
const entries = Object.values(readGlossary(root)).flat();

/** Reads a file with its comments unwrapped, because a line break may split a term. */
const readUnwrapped = (file: string) =>
  readFileSync(join(root, file), "utf8").replace(/\s+(?:\*\s+|\/\/\s+|#\s+)?/g, " ");

test.each(entries)("$file contains the term $term", ({ term, file }) => {
  expect(existsSync(join(root, file))).toBe(true);
  expect(readUnwrapped(file).toLowerCase()).toContain(term.toLowerCase());
});

test("the glossary lists each term once", () => {
  const terms = entries.map(({ term }) => term.toLowerCase());
  expect(new Set(terms).size).toBe(terms.length);
});

test("each decision that the glossary cites exists", () => {
  const ids = entries.flatMap(({ decision }) => decision ?? []);
  expect(Object.keys(readDecisions(root))).toEqual(expect.arrayContaining(ids));
});
