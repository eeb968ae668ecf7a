import { standardWebhooks } from "@offers/webhook-kit";
import { invalidRequest } from "../../problem/problem-error.ts";
import type { EndpointScheme } from "../../store/tables.ts";
import { lineField } from "../../validation/text-field.ts";

/** A secret of the profile. A shorter one could be guessed from one captured request (D-43). */
export const secretField = lineField
  // The prefix of Standard Webhooks is not part of the secret.
  .refine((text) => text.replace(/^whsec_/, "").length >= 16, "Give at least 16 characters, not counting whsec_.")
  // Both sides hash the text, and a copied blank is invisible.
  .refine((text) => text === text.trim(), "Remove white space at the start and end.");

const standard = standardWebhooks();

/**
 * Checks that the scheme can sign with the secret (D-76).
 *
 * @throws {ProblemError} `invalid_request`
 */
export function checkScheme(scheme: EndpointScheme, secret: string): void {
  if (scheme === "timestampDigest" || standard.checkSecret?.(secret) === undefined) return;
  const remedy =
    "Standard Webhooks requires padded base64, optionally with the prefix whsec_. Enter such a secret, or choose the scheme timestampDigest.";
  throw invalidRequest(new Map([["secret", [remedy]]]));
}
