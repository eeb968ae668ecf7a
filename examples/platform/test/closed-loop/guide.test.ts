import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "guide");
const files = readdirSync(folder).map((name) => join(folder, name));
const guide = readFileSync(join(import.meta.dirname, "../../../../docs/guides/testing.md"), "utf8");

test("the testing guide shows exactly these tests", () => {
  const samples = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);
  expect(samples.sort()).toEqual(files.map((file) => readFileSync(file, "utf8")).sort());
});

test("the testing guide's tests pass under node:test", async () => {
  const options = ["--disable-warning=ExperimentalWarning", "--test", "--test-reporter=tap"];
  const { stdout } = await promisify(execFile)(process.execPath, [...options, ...files]);
  expect(stdout).toMatch(/^# pass 3$/m);
});
