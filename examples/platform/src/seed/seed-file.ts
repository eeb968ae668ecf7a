import { readFile } from "node:fs/promises";
import { fieldErrors } from "../problem/field-errors.ts";
import { type Seed, seedSchema } from "./seed-schema.ts";
import { seedFaults } from "./seed-validation.ts";

const checkedSchema = seedSchema.superRefine((seed, context) => {
  for (const { path, remedy } of seedFaults(seed)) context.addIssue({ code: "custom", path, message: remedy });
});

/** The file that `OFFERS_SEED` names cannot be used. */
export class SeedError extends Error {
  override readonly name = "SeedError";
  readonly code = "invalid_seed";
}

/** @throws {SeedError} names the fields, never their values */
export async function readSeedFile(path: string): Promise<Seed> {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw new SeedError(`OFFERS_SEED names ${path}, which is not a file of JSON; seed/demo.json shows its shape`, {
      cause,
    });
  }
  const parsed = checkedSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  const wrong = [...fieldErrors(parsed.error.issues, content)].map(([field, [remedy]]) => `${field}: ${remedy}`);
  throw new SeedError(`OFFERS_SEED names ${path}, in which is wrong: ${wrong.join(" ")}`);
}
