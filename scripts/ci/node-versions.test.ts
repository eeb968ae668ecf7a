import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { oldestNode } from "@offers/contract/decisions";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { runtimes } from "../../tests/runtimes/runtimes.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const versions: {
  floor: string;
  commands: string;
  tested: Record<string, string>;
  retired: Record<string, string>;
} = parse(read("spec/node-versions.yaml"));
const testedMajors = Object.keys(versions.tested).map(Number);
const readRequiredNode = (manifest: string): string => JSON.parse(read(manifest)).engines?.node;

const publishedPackages = readdirSync(join(root, "packages")).filter((name) => name !== "contract");

test.each([...publishedPackages.map((name) => `packages/${name}`), "examples/platform"])(
  "%s states the oldest supported Node in `engines` and in its README [D-141]",
  (folder) => {
    expect(readRequiredNode(`${folder}/package.json`)).toBe(`>=${versions.floor}`);
    expect(read(`${folder}/README.md`)).toMatch(new RegExp(`Node ${versions.floor}\\s+or\\s`));
  },
);

test("the client's constant for the oldest supported Node matches spec/node-versions.yaml [D-141]", () =>
  expect(oldestNode).toBe(versions.floor));

test("package.json, CONTRIBUTING.md and CI state the oldest Node that starts the repository's commands [D-141]", () => {
  expect(readRequiredNode("package.json")).toBe(`>=${versions.commands}`);
  expect(read("CONTRIBUTING.md")).toContain(`Node ${versions.commands} or newer`);
  const [major] = versions.commands.split(".");
  expect(read(".github/workflows/ci.yml")).toMatch(`node-version: ${major}\n`);
});

test("CI covers each major version that is not retired, and the runtime tests cover all of them and the oldest supported version [D-141]", () => {
  expect(read(".github/workflows/ci.yml")).toContain(`node: [${testedMajors.join(", ")}]`);
  const nodes = runtimes.filter(({ binary }) => binary === "node").map(({ name }) => name.replace("Node ", ""));
  const majors = nodes.map((version) => Number.parseInt(version, 10));
  const retiredMajors = Object.keys(versions.retired).map(Number);
  expect(majors).toEqual([...retiredMajors, ...testedMajors]);
  expect(nodes).toContain(`${versions.floor}.0`);
  expect(testedMajors).toContain(Number.parseInt(read(".nvmrc"), 10));
});

test("Node versions are retired in order [D-141]", () => {
  const dates = Object.values({ ...versions.retired, ...versions.tested });
  expect(dates).toEqual([...dates].sort());
});
