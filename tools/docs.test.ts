// The reference site as npm run docs builds it.
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { entries } from "./packed/entries.ts";

const root = join(import.meta.dirname, "..");

let site: string;
let output: string;

beforeAll(async () => {
  site = await mkdtemp(join(tmpdir(), "offers-site-"));
  const { stdout, stderr } = await promisify(execFile)("typedoc", ["--out", site], { cwd: root });
  output = stdout + stderr;
}, 120_000);

afterAll(() => rm(site, { recursive: true }));

test("builds without a warning", () => {
  expect(output).not.toMatch(/warning|error/i);
});

test.each(entries)("has a page or an anchor for every export of $name", async ({ source: entry }) => {
  // The entries list every name, without a star.
  const source = await readFile(join(root, entry), "utf8");
  const listed = [...source.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = ""]) => list.split(","));
  const declared = [...source.matchAll(/^export function (\w+)/gm)].map(([, name = ""]) => name);
  const names = [...listed.map((name) => name.replace(/^\s*type\s/, "").trim()), ...declared].filter(Boolean);
  expect(names).not.toEqual([]);
  const pages = (await readdir(site, { recursive: true })).map((file) => file.replace(/.*[./](\w+)\.html$/, "$1"));
  expect(pages).toEqual(expect.arrayContaining(names));
});
