import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

const value = z.union([z.string(), z.number(), z.array(z.number())]);

const decisionsSchema = z.record(
  z.string().regex(/^D-\d{2,3}$/),
  z.strictObject({
    question: z.string(),
    evidence: z.string(),
    choice: z.string(),
    /** Constants that code takes from here, by its package or example and their name. */
    values: z.record(z.string(), z.record(z.string().regex(/^[a-z]\w+$/), value)).optional(),
    why: z.string(),
    change: z.string(),
    /** The tests that show that the code does so. */
    tests: z.array(z.string()).min(1),
  }),
);

export type Decision = z.infer<typeof decisionsSchema>[string];

/** What spec/decisions.yaml holds, by id. */
export const readDecisions = (root: string): Record<string, Decision> =>
  decisionsSchema.parse(parse(readFileSync(join(root, "spec/decisions.yaml"), "utf8")));
