import { readFile } from "node:fs/promises";
import { z } from "zod";
import { emailAddressSchema, idSchema } from "../generated/schemas.ts";
import { fieldErrors } from "../problem/field-errors.ts";

const apiKeySchema = z.string().min(8);

const seedSchema = z.strictObject({
  organisations: z.array(
    z
      .strictObject({
        id: idSchema,
        name: z.string().min(1),
        kind: z.enum(["hirer", "agency"]),
        apiKeys: z.array(apiKeySchema).min(1),
        /** The organisations that an agency acts for, and the key it has for each. */
        actsFor: z.array(z.strictObject({ organisationId: idSchema, apiKey: apiKeySchema })).default([]),
      })
      .refine(({ kind, actsFor }) => kind === "agency" || actsFor.length === 0, {
        path: ["actsFor"],
        message: "Only an agency acts for others.",
      }),
  ),
  people: z.array(
    z.strictObject({
      id: idSchema,
      organisationId: idSchema,
      name: z.string().min(1),
      emailAddresses: z.array(emailAddressSchema).min(1),
      password: z.string().min(8),
    }),
  ),
  workers: z.array(
    z.strictObject({
      id: idSchema,
      name: z.string().min(1),
      devices: z.array(z.enum(["ios", "android"])).min(1),
      password: z.string().min(8),
    }),
  ),
});

export type Seed = z.infer<typeof seedSchema>;

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
  const parsed = seedSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  const wrong = [...fieldErrors(parsed.error.issues, content)].map(([field, [remedy]]) => `${field}: ${remedy}`);
  throw new SeedError(`OFFERS_SEED names ${path}, in which is wrong: ${wrong.join(" ")}`);
}
