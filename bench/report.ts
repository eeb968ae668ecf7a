import { readFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";
import type { Comparison } from "./comparison.ts";

/** What `--json` writes. */
export interface Report {
  readonly date: string;
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly memoryGiB: number;
    readonly platform: string;
  };
  readonly node: string;
  /** Of every package that is measured. */
  readonly versions: Readonly<Record<string, string>>;
  readonly quick: boolean;
  readonly suites: Readonly<Record<string, readonly Comparison[]>>;
}

/** Where and with what is measured. */
export function describeRun(quick: boolean): Omit<Report, "suites"> {
  return {
    date: new Date().toISOString(),
    machine: {
      cpu: cpus()[0]?.model.trim() ?? "unknown",
      cores: availableParallelism(),
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      platform: `${process.platform} ${process.arch}`,
    },
    node: process.version,
    versions: Object.fromEntries(
      Object.keys(readJson("package.json").devDependencies as object).map((name) => [
        name,
        String(readJson(`node_modules/${name}/package.json`).version),
      ]),
    ),
    quick,
  };
}

const readJson = (path: string): Record<string, unknown> =>
  JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
