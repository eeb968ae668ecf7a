/** What is wrong with a secret. The message never holds the secret or its length. */
export interface SecretProblem {
  readonly code: "invalid_secret" | "short_secret";
  readonly message: string;
}

/** A secret is used exactly as given. It is not trimmed, so white space at its ends is rejected. */
export function findSecretProblem(secret: unknown): SecretProblem | undefined {
  if (typeof secret !== "string") return invalidSecret("The secret must be a string.");
  if (secret.trim() === "")
    return invalidSecret("The secret is empty or blank; is the environment variable that should hold it set?");
  if (secret !== secret.trim())
    return invalidSecret("The secret begins or ends with white space; was it read from a file with its line break?");
  if (/[\p{Cc}\p{Cs}]/u.test(secret)) return invalidSecret("The secret holds a control character or half a character.");
  return undefined;
}

/** Shorter than this, a secret can be guessed from one captured request (D-43). */
const minimumLength = 16;

export function findWeakness(secret: string): SecretProblem | undefined {
  // What stands before every key of Standard Webhooks is no secret.
  if (secret.replace(/^whsec_/, "").length >= minimumLength) return undefined;
  return {
    code: "short_secret",
    message: `The secret has fewer than ${minimumLength} characters and can be guessed; pass allowShortSecret to use it.`,
  };
}

export const invalidSecret = (message: string): SecretProblem => ({ code: "invalid_secret", message });
