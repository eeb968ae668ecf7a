import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import type { Comparison } from "./comparison.ts";
import { formatTable } from "./table.ts";

const page = new URL("../docs/benchmarks.md", import.meta.url);

/** Describes this run: the date, the machine and the version of Node. */
export function describeRun(): string {
  const memory = Math.round(totalmem() / 2 ** 30);
  const machine = `${availableParallelism()} cores of ${cpus()[0]?.model.trim() ?? "unknown"} with ${memory} GiB`;
  return `${new Date().toISOString().slice(0, 10)}, ${machine}, ${process.platform} ${process.arch}, Node ${process.versions.node}`;
}

/** Replaces the section of a suite in docs/benchmarks.md, which is between two comments with the suite name. */
export function writeSuiteSection(suite: string, comparisons: readonly Comparison[]): void {
  const text = readFileSync(page, "utf8");
  const startMarker = `<!-- suite: ${suite} -->`;
  const endMarker = `<!-- end of ${suite} -->`;
  const start = text.indexOf(startMarker);
  const end = text.indexOf(endMarker);
  if (start < 0 || end < start) throw new Error(`docs/benchmarks.md has no section ${startMarker} … ${endMarker}`);
  const section = [
    startMarker,
    `Measured on ${describeRun()}.`,
    ...comparisons.map(formatTable),
    `With ${listVersions()}.`,
    "",
  ];
  writeFileSync(page, text.slice(0, start) + section.join("\n\n") + text.slice(end));
}

/** Lists the installed versions of the benchmark's dependencies, without our own packages and types. */
function listVersions(): string {
  const readJson = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
  const packageNames = Object.keys(readJson("package.json").devDependencies).filter(
    (name) => !/^@(offers|types)\//.test(name),
  );
  return packageNames.map((name) => `${name} ${readJson(`node_modules/${name}/package.json`).version}`).join(", ");
}
