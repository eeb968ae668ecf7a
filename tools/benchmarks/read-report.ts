import { readFileSync } from "node:fs";
import { z } from "zod";

const rowSchema = z.object({
  label: z.string(),
  median: z.number(),
  ratio: z.object({ median: z.number(), interval: z.object({ low: z.number(), high: z.number() }).optional() }),
  verdict: z.enum(["base", "better", "worse", "not shown"]),
});

const comparisonSchema = z.object({
  title: z.string(),
  unit: z.string(),
  better: z.enum(["lower", "higher"]),
  exact: z.boolean().optional(),
  rows: z.array(rowSchema).min(1),
});

const reportSchema = z.object({
  date: z.iso.datetime(),
  machine: z.object({ cpu: z.string(), cores: z.number(), memoryGiB: z.number(), platform: z.string() }),
  node: z.string(),
  versions: z.record(z.string(), z.string()),
  // A quick run has no intervals, and is not to be quoted.
  quick: z.literal(false),
  suites: z.record(z.string(), z.array(comparisonSchema)),
});

/** A row of a table of the benchmarks. */
export type MeasuredRow = z.infer<typeof rowSchema>;
export type MeasuredComparison = z.infer<typeof comparisonSchema>;
export type MeasuredRun = z.infer<typeof reportSchema>;

/** What `npm run bench -- --json` wrote. */
export const readReport = (path: string): MeasuredRun => reportSchema.parse(JSON.parse(readFileSync(path, "utf8")));
