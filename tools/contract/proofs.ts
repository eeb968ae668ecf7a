import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

const proofsSchema = z.record(
  z.string(),
  z.array(
    z.strictObject({
      says: z.string(),
      tests: z.array(z.string()).min(1),
      decisions: z.array(z.string()).min(1).optional(),
    }),
  ),
);

/** How one statement of the contract is proven. */
export interface Proof {
  section: string;
  says: string;
  /** Each `file > describe > test`, as vitest lists it. */
  tests: string[];
  decisions: string[];
}

/** What spec/proofs.yaml holds, in its order. */
export function readProofs(root: string): Proof[] {
  const sections = proofsSchema.parse(parse(readFileSync(join(root, "spec/proofs.yaml"), "utf8")));
  return Object.entries(sections).flatMap(([section, proofs]) =>
    proofs.map(({ says, tests, decisions = [] }) => ({ section, says, tests, decisions })),
  );
}
