import { readFile } from "node:fs/promises";
import { fieldErrors } from "../http/validation.ts";
import { SettingError } from "../settings/setting-error.ts";
import { type Seed, seedSchema } from "./seed-schema.ts";
import { findSeedProblems } from "./seed-validation.ts";

const checkedSchema = seedSchema.superRefine((seed, context) => {
  for (const { path, remedy } of findSeedProblems(seed)) context.addIssue({ code: "custom", path, message: remedy });
});

/** Reads and validates a seed file. @throws {SettingError} with the invalid fields, but never their values */
export async function readSeedFile(path: string): Promise<Seed> {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw new SettingError(`OFFERS_SEED: ${path} is not a JSON file; seed/demo.json shows the format`, { cause });
  }
  const parsed = checkedSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  const problems = [...fieldErrors(parsed.error.issues, content)].map(([field, [remedy]]) => `${field}: ${remedy}`);
  throw new SettingError(`OFFERS_SEED: ${path} is invalid: ${problems.join(" ")}`);
}
