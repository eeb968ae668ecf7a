import { refuseUnknownOptions } from "../errors/option-names.ts";
import type { SignatureScheme } from "../signature/signature-scheme.ts";
import { timestampDigest } from "../signature/timestamp-digest.ts";

/**
 * The headers that the service would send: for tests of your own handlers.
 *
 * @param options.now when it is signed (default: now)
 * @param options.scheme how (default `timestampDigest()`)
 * @throws {ConfigurationError} (rejects) for a secret or a date that no service would sign with
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
  secret: string;
  now?: Date;
  scheme?: SignatureScheme;
  /** Needed by a scheme that covers the body. */
  body?: Uint8Array;
  /** Needed by a scheme that signs an id. */
  id?: string;
}): Promise<Record<string, string>> {
  refuseUnknownOptions("signHeaders", options, ["secret", "now", "scheme", "body", "id"]);
  const { now = new Date(), scheme = timestampDigest(), ...message } = options;
  return { ...(await scheme.sign({ now, ...message })) };
}
