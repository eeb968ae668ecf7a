import { rejectUnknownOptions } from "../errors/option-names.ts";
import type { SignatureScheme } from "../signature/signature-scheme.ts";
import { timestampDigest } from "../signature/timestamp-digest.ts";

/**
 * Returns the headers that the service would send, to test your own handlers.
 *
 * @param options.now the signing time (default: the current time)
 * @param options.scheme the scheme to sign with (default `timestampDigest()`)
 * @throws {ConfigurationError} (rejects) for an invalid secret or date
 *
 * @example
 * ```ts
 * import { signHeaders } from "@offers/webhook-kit/testing";
 *
 * const headers = await signHeaders({ secret: "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52" });
 * const response = await fetch("http://127.0.0.1:3000/offers/test/auth", { headers });
 * console.log(response.status); // 200
 * ```
 */
export async function signHeaders(options: {
  /** The secret to sign with. */
  secret: string;
  /** The signing time. @default the current time */
  now?: Date | undefined;
  /** The scheme to sign with. @default timestampDigest() */
  scheme?: SignatureScheme | undefined;
  /** The body; needed if the scheme signs it. */
  body?: Uint8Array | undefined;
  /** The message's id; needed if the scheme signs one. */
  id?: string | undefined;
}): Promise<Record<string, string>> {
  rejectUnknownOptions("signHeaders", options, ["secret", "now", "scheme", "body", "id"]);
  const { now = new Date(), scheme = timestampDigest(), ...message } = options;
  return { ...(await scheme.sign({ now, ...message })) };
}
