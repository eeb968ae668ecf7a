import { standardWebhooks } from "@offers/webhook-kit";
import { type EndpointCheck, type EndpointToTest, testEndpoint } from "../../../endpoint-client/test-endpoint.ts";
import { lineField } from "../../../http/fields.ts";
import { invalidRequest, ProblemError } from "../../../http/problem.ts";
import type { EndpointScheme } from "../../../store/tables.ts";
import type { PortalDeps } from "../person.ts";

/**
 * Runs both checks of a base URL. They must pass before the URL is saved.
 *
 * @throws {ProblemError} `endpoint_check_failed` unless both responses have status 200
 */
export async function checkEndpoint(
  { endpointClient, sign }: PortalDeps,
  endpoint: EndpointToTest,
): Promise<EndpointCheck[]> {
  const { passed, checks } = await testEndpoint(endpointClient, sign, endpoint);
  if (passed) return checks;
  const detail = "Nothing was changed. See the reason given for each check.";
  throw new ProblemError("endpoint_check_failed", detail, { extensions: { checks } });
}

/** An endpoint secret of at least 16 characters. A shorter secret could be guessed from a single captured request (D-43). */
export const secretField = lineField
  // The prefix used by Standard Webhooks is not part of the secret.
  .refine((text) => text.replace(/^whsec_/, "").length >= 16, "Use at least 16 characters, not counting whsec_.")
  // Both sides hash the string, and users cannot see white space that they copied by mistake.
  .refine((text) => text === text.trim(), "Remove white space at the start and end.");

const standardScheme = standardWebhooks();

/**
 * Checks that the scheme can sign with the secret (D-76).
 *
 * @throws {ProblemError} `invalid_request`
 */
export function checkSecretForScheme(scheme: EndpointScheme, secret: string): void {
  if (scheme === "timestampDigest" || standardScheme.checkSecret?.(secret) === undefined) return;
  const remedy =
    "Standard Webhooks requires padded base64, optionally with the prefix whsec_. Enter such a secret, or choose the scheme timestampDigest.";
  throw invalidRequest(new Map([["secret", [remedy]]]));
}

/**
 * Reads the saved endpoint with its encrypted secrets.
 *
 * @throws {ProblemError} `profile_missing`
 */
export async function requireSavedEndpoint({ store }: PortalDeps, organisationId: string) {
  const endpoint = await store.db
    .selectFrom("endpoints")
    .select(["base_address as baseAddress", "scheme"])
    .select(["encrypted_secret", "previous_encrypted_secret", "previous_secret_until"])
    .where("organisation_id", "=", organisationId)
    .executeTakeFirst();
  if (endpoint !== undefined) return endpoint;
  throw new ProblemError("profile_missing", "Save a base URL and a secret in the company profile first.");
}

/** Signals that the endpoint has changed, which resumes its deliveries and updates open pages. */
export const publishEndpointChange = ({ signals }: PortalDeps, organisationId: string): void =>
  signals.publish([
    { topic: "endpoint", organisationId },
    { topic: "delivery", organisationId },
  ]);
