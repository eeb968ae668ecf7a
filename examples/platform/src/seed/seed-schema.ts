import { z } from "zod";
import { emailAddressSchema } from "../generated/schemas.ts";
import { isPasswordHash } from "../session/passwords.ts";
import { lineField, textField } from "../validation/text-field.ts";
import { textRemedy } from "../validation/text-problem.ts";

const apiKeySchema = z.string().min(8);

/** What a person or worker signs in with: a password, or its hash, so that no password lies in a file. */
const credentials = {
  password: z.string().min(8).optional(),
  /** As `hashPassword` returns it. */
  passwordHash: z
    .string()
    .refine(isPasswordHash, "Give a hash as the platform makes it: scrypt$N$r$p$salt$key.")
    .optional(),
};

const hasOneCredential = ({
  password,
  passwordHash,
}: {
  password?: string | undefined;
  passwordHash?: string | undefined;
}): boolean => (password === undefined) !== (passwordHash === undefined);
const oneCredential = { path: ["password"], message: "Give either a password or a passwordHash." };

export const seedSchema = z.strictObject({
  organisations: z.array(
    z
      .strictObject({
        id: textField,
        name: lineField,
        kind: z.enum(["hirer", "agency"]),
        apiKeys: z.array(apiKeySchema).min(1),
        /** The organisations that an agency acts for, and the key it has for each. */
        actsFor: z.array(z.strictObject({ organisationId: textField, apiKey: apiKeySchema })).default([]),
      })
      .refine(({ kind, actsFor }) => kind === "agency" || actsFor.length === 0, {
        path: ["actsFor"],
        message: "Only an agency acts for others.",
      }),
  ),
  people: z.array(
    z
      .strictObject({
        id: textField,
        organisationId: textField,
        name: lineField,
        emailAddresses: z
          .array(
            emailAddressSchema.refine((text) => textRemedy(text) === undefined, "Remove the half of a surrogate pair."),
          )
          .min(1),
        ...credentials,
      })
      .refine(hasOneCredential, oneCredential),
  ),
  workers: z.array(
    z
      .strictObject({
        // It is part of the path by which an organisation is told of a contact, and these two would climb out of it.
        id: textField.refine((id) => id !== "." && id !== "..", "Give another id; this one cannot be part of a path."),
        name: lineField,
        devices: z.array(z.enum(["ios", "android"])).min(1),
        ...credentials,
      })
      .refine(hasOneCredential, oneCredential),
  ),
});

export type Seed = z.infer<typeof seedSchema>;
