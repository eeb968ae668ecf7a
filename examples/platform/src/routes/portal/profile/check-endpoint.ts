import { standardWebhooks } from "@offers/webhook-kit";
import { type EndpointCheck, type EndpointToTest, testEndpoint } from "../../../endpoint-client/test-endpoint.ts";
import { lineField } from "../../../http/fields.ts";
import { invalidRequest, ProblemError } from "../../../http/problem.ts";
import type { EndpointScheme } from "../../../store/tables.ts";
import type { PortalDeps } from "../person.ts";

/**
 * Runs both checks of a base address, which must pass before it is saved.
 *
 * @throws {ProblemError} `endpoint_check_failed` unless both responses have status 200
 */
export async function checkEndpoint(
  { endpointClient, sign }: PortalDeps,
  endpoint: EndpointToTest,
): Promise<EndpointCheck[]> {
  const { passed, checks } = await testEndpoint(endpointClient, sign, endpoint);
  if (passed) return checks;
  const detail = "Nothing was changed; see the reason of each check.";
  throw new ProblemError("endpoint_check_failed", detail, { extensions: { checks } });
}

/** A secret of the profile. A shorter one could be guessed from a single captured request (D-43). */
export const secretField = lineField
  // The prefix of Standard Webhooks is not part of the secret.
  .refine((text) => text.replace(/^whsec_/, "").length >= 16, "Give at least 16 characters, not counting whsec_.")
  // Both sides hash the string, and copied white space is invisible.
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

/**
 * The saved endpoint with its encrypted secrets.
 *
 * @throws {ProblemError} `profile_missing`
 */
export async function savedEndpoint({ store }: PortalDeps, organisationId: string) {
  const endpoint = await store.db
    .selectFrom("endpoints")
    .select(["base_address as baseAddress", "scheme"])
    .select(["encrypted_secret", "previous_encrypted_secret", "previous_secret_until"])
    .where("organisation_id", "=", organisationId)
    .executeTakeFirst();
  if (endpoint !== undefined) return endpoint;
  throw new ProblemError("profile_missing", "Save the profile with a base address and its first secret.");
}

/** Starts deliveries to the changed endpoint, and updates pages. */
export const publishEndpoint = ({ signals }: PortalDeps, organisationId: string): void =>
  signals.publish([
    { topic: "endpoint", organisationId },
    { topic: "delivery", organisationId },
  ]);
