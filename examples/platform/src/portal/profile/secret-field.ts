import { standardWebhooks } from "@offers/webhook-kit";
import { invalidRequest } from "../../problem/problem-error.ts";
import type { EndpointScheme } from "../../store/tables.ts";
import { lineField } from "../../validation/text-field.ts";

/** A secret as a person enters it. A shorter one can be guessed from one captured request (D-43). */
export const secretField = lineField
  // What stands before every key of Standard Webhooks is no secret.
  .refine((text) => text.replace(/^whsec_/, "").length >= 16, "Give at least 16 characters, not counting whsec_.")
  // Both sides hash its text, and a copied blank is not seen.
  .refine((text) => text === text.trim(), "Remove the white space before or after it.");

const standard = standardWebhooks();

/**
 * Refuses a secret that the scheme cannot sign with (D-76).
 *
 * @throws {ProblemError} `invalid_request`
 */
export function checkScheme(scheme: EndpointScheme, secret: string): void {
  if (scheme === "timestampDigest" || standard.checkSecret?.(secret) === undefined) return;
  const remedy =
    "Standard Webhooks takes base64 with its padding, with whsec_ before it or alone; give such a secret, or choose the scheme timestampDigest.";
  throw invalidRequest(new Map([["secret", [remedy]]]));
}
