import { emailAddressSchema } from "@offers/contract/schemas";
import { z } from "zod";
import { isPasswordHash } from "../accounts/passwords.ts";
import { lineField, remedyForText, textField } from "../http/fields.ts";

const keyText = z.string().min(8);
const keyName = lineField.max(100).optional();

/** An API key: a string, or an object with the name that the portal shows. */
const apiKeySchema = z.preprocess(
  (apiKey) => (typeof apiKey === "string" ? { key: apiKey } : apiKey),
  z.strictObject({ name: keyName, key: keyText }),
);

/** A password, or its hash if the file must not contain passwords. */
const credentials = {
  password: z.string().min(8).optional(),
  /** A hash from `Passwords.hash`. */
  passwordHash: z.string().refine(isPasswordHash, "Use a hash in the format scrypt$N$r$p$salt$key.").optional(),
};

export interface Credentials {
  password?: string | undefined;
  passwordHash?: string | undefined;
}

const hasOneCredential = ({ password, passwordHash }: Credentials): boolean =>
  (password === undefined) !== (passwordHash === undefined);
const oneCredentialRule = { path: ["password"], message: 'Set either "password" or "passwordHash".' };

export const seedSchema = z.strictObject({
  organisations: z.array(
    z
      .strictObject({
        id: textField,
        name: lineField,
        kind: z.enum(["hirer", "agency"]),
        apiKeys: z.array(apiKeySchema).min(1),
        /** The organisations that an agency acts for, and the agency's key for each. */
        actsFor: z.array(z.strictObject({ organisationId: textField, name: keyName, apiKey: keyText })).default([]),
        /** The names of the places that its offers use. */
        places: z.array(z.strictObject({ id: textField, name: lineField })).default([]),
      })
      .refine(({ kind, actsFor }) => kind === "agency" || actsFor.length === 0, {
        path: ["actsFor"],
        message: "Only an agency can act for other organisations.",
      }),
  ),
  people: z.array(
    z
      .strictObject({
        id: textField,
        organisationId: textField,
        name: lineField,
        emailAddresses: z
          .array(emailAddressSchema.refine((text) => remedyForText(text) === undefined, "Remove the lone surrogate."))
          .min(1),
        ...credentials,
      })
      .refine(hasOneCredential, oneCredentialRule),
  ),
  workers: z.array(
    z
      .strictObject({
        // The id is a path segment in the URL of the contact webhook. URL parsers would remove `.` and `..`.
        id: textField.refine(
          (id) => id !== "." && id !== "..",
          "Choose another id; this one cannot be used in a URL path.",
        ),
        name: lineField,
        devices: z.array(z.enum(["ios", "android"])).min(1),
        ...credentials,
      })
      .refine(hasOneCredential, oneCredentialRule),
  ),
});

export type Seed = z.infer<typeof seedSchema>;
