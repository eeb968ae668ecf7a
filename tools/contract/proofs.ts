import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

/** How one statement of the contract is proven. */
const proofSchema = z.strictObject({
  says: z.string(),
  /** Each `file > describe > test`, as vitest lists it. */
  tests: z.array(z.string()).min(1),
  decisions: z.array(z.string()).min(1).default([]),
});

const proofsSchema = z.record(z.string(), z.array(proofSchema));

/** What spec/proofs.yaml holds, in its order, each proof with its section. */
export const readProofs = (root: string) =>
  Object.entries(proofsSchema.parse(parse(readFileSync(join(root, "spec/proofs.yaml"), "utf8")))).flatMap(
    ([section, proofs]) => proofs.map((proof) => ({ section, ...proof })),
  );
