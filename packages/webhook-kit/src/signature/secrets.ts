import { ConfigurationError, UnavailableError } from "../errors/errors.ts";
import { lookUpTimeoutMs } from "../generated/decisions.ts";
import { withTimeout } from "../http/timeouts.ts";
import type { SignatureScheme } from "./signature-scheme.ts";

/**
 * The secret in the company profile. Pass one secret, several during rotation, or a function that looks it up for each request, for many
 * tenants behind one receiver. The function is called only for well-formed, fresh headers. If it returns `undefined`, the response is 401;
 * if it throws, takes more than five seconds or returns an invalid secret, 503.
 *
 * @example
 * ```ts
 * import type { Request } from "express";
 * import type { SecretSource } from "@offers/webhook-kit";
 *
 * declare const tenants: Map<string, { webhookSecret: string }>;
 *
 * export const secretOfTenant: SecretSource<Request> = async (request) =>
 *   tenants.get(String(request.params.tenant))?.webhookSecret;
 * ```
 */
export type SecretSource<Incoming = unknown> =
  | string
  | readonly string[]
  | ((request: Incoming) => string | readonly string[] | undefined | Promise<string | readonly string[] | undefined>);

/** Returns the validated secrets for one request; undefined for an unknown tenant. */
export type SecretLookup<Incoming> = (
  request: Incoming,
) => readonly string[] | undefined | Promise<readonly string[] | undefined>;

/**
 * Creates a function that looks up a request's secrets.
 *
 * @throws {ConfigurationError} for an invalid secret; if a function returns it, the lookup rejects with {@link UnavailableError}
 */
export function createSecretLookup<Incoming>(
  secret: SecretSource<Incoming>,
  allowShortSecret: boolean,
  scheme: Pick<SignatureScheme, "checkSecret"> = {},
): SecretLookup<Incoming> {
  const findProblem = (secrets: readonly string[]) => findProblemInSecrets(secrets, allowShortSecret, scheme);
  if (typeof secret === "function") return (request) => lookUp(secret, request, findProblem);
  const secrets = typeof secret === "string" ? [secret] : secret;
  const problem = findProblem(secrets);
  if (problem) throw new ConfigurationError(problem.code, problem.message);
  const checkedSecrets = [...secrets];
  return () => checkedSecrets;
}

async function lookUp<Incoming>(
  secret: Extract<SecretSource<Incoming>, (request: Incoming) => unknown>,
  request: Incoming,
  findProblem: (secrets: readonly string[]) => SecretProblem | undefined,
): Promise<readonly string[] | undefined> {
  let result: string | readonly string[] | undefined;
  try {
    result = await withTimeout(
      Promise.resolve(secret(request)),
      lookUpTimeoutMs,
      () => new Error(`The secret function took more than ${lookUpTimeoutMs} ms.`),
      { unref: true },
    );
  } catch (cause) {
    throw new UnavailableError(
      "secret_lookup_failed",
      "The secret function threw or timed out; see this error's cause. 503 was returned.",
      { cause },
    );
  }
  if (result === undefined) return undefined;
  const secrets = typeof result === "string" ? [result] : result;
  const problem = findProblem(secrets);
  if (problem) throw new UnavailableError("invalid_secret", `From the secret function: ${problem.message}`);
  return secrets;
}

function findProblemInSecrets(
  secrets: readonly string[],
  allowShortSecret: boolean,
  scheme: Pick<SignatureScheme, "checkSecret">,
): SecretProblem | undefined {
  if (!Array.isArray(secrets) || secrets.length === 0)
    return invalidSecret(
      "secret must be a string, a non-empty array of strings, or a function; is its environment variable set?",
    );
  for (const secret of secrets) {
    const problem = findSecretProblem(secret);
    if (problem) return problem;
    const schemeProblem = scheme.checkSecret?.(secret);
    if (schemeProblem !== undefined) return invalidSecret(schemeProblem);
    const weakness = allowShortSecret ? undefined : findWeakness(secret);
    if (weakness) return weakness;
  }
  return undefined;
}

/** What is wrong with a secret. The message never contains the secret or its length. */
export interface SecretProblem {
  readonly code: "invalid_secret" | "short_secret";
  readonly message: string;
}

/**
 * Returns what is wrong with a secret; undefined if it is valid. A secret is never trimmed, so white space at either end is rejected.
 */
export function findSecretProblem(secret: unknown): SecretProblem | undefined {
  if (typeof secret !== "string") return invalidSecret("The secret must be a string.");
  if (secret.trim() === "") return invalidSecret("The secret is empty or blank; is its environment variable set?");
  if (secret !== secret.trim())
    return invalidSecret(
      "The secret starts or ends with white space; was it read from a file that ends with a line break?",
    );
  if (/[\p{Cc}\p{Cs}]/u.test(secret))
    return invalidSecret("The secret contains a control character or a lone surrogate.");
  return undefined;
}

/** A shorter secret can be guessed from one captured request. */
const minimumLength = 16;

/** Returns a problem if a secret is too short; undefined otherwise. */
export function findWeakness(secret: string): SecretProblem | undefined {
  // The prefix of Standard Webhooks keys is not secret.
  if (secret.replace(/^whsec_/, "").length >= minimumLength) return undefined;
  return {
    code: "short_secret",
    message: `The secret has fewer than ${minimumLength} characters and can be guessed; pass allowShortSecret to use it.`,
  };
}

const invalidSecret = (message: string): SecretProblem => ({ code: "invalid_secret", message });

/**
 * Returns the index of the first secret that matches, or -1. Tries every secret, so that the time taken does not reveal which secret
 * matches.
 */
export const findMatchingSecret = (secrets: readonly string[], isMatch: (secret: string) => boolean): number =>
  secrets.map(isMatch).indexOf(true);
