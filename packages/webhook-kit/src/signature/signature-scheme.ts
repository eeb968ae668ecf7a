import type { SignatureProblem } from "../errors/rejection.ts";

/**
 * The parsed headers, not yet verified.
 *
 * @example
 * ```ts
 * import type { ParsedSignature } from "@offers/webhook-kit";
 *
 * // A scheme with Unix seconds and an id in its headers.
 * export const signatureOf = (id: string, seconds: number, signature: Uint8Array): ParsedSignature => ({
 *   signedAt: { earliest: seconds * 1000, latest: seconds * 1000 },
 *   signature,
 *   id,
 * });
 * ```
 */
export interface ParsedSignature {
  /** Milliseconds since 1970; the two differ when the header names a whole minute. */
  readonly signedAt: { readonly earliest: number; readonly latest: number };
  /** The signature's bytes, not its text: the same bytes may be written in several ways. */
  readonly signature: Uint8Array;
  /** Only when the scheme signs an id of the message; then that id alone identifies a duplicate. */
  readonly id?: string;
}

/** @inline */
type SignedHeaders = Readonly<Record<string, string>>;

/** @inline */
type SigningSecret = { readonly secretIndex: number; readonly variant: string } | undefined;

/**
 * How a webhook signature is made and verified. The kit has `timestampDigest()` and `standardWebhooks()`; a scheme of your own
 * needs these three functions. A scheme handles bytes only; the kit handles clock, tolerance and secrets.
 *
 * @example
 * ```ts
 * import { type SignatureScheme, timestampDigest } from "@offers/webhook-kit";
 *
 * const documented = timestampDigest();
 *
 * // The same digest in a header of its own, for a proxy that strips Authorization.
 * export const forwarded: SignatureScheme = {
 *   ...documented,
 *   name: "forwarded-digest",
 *   parse: (rawHeaders) =>
 *     documented.parse(rawHeaders.map((text) => (text.toLowerCase() === "x-authorization" ? "authorization" : text))),
 * };
 * ```
 */
export interface SignatureScheme<
  Headers extends SignedHeaders | Promise<SignedHeaders> = SignedHeaders | Promise<SignedHeaders>,
> {
  /** Part of every deduplication key, and passed to `onVerified`. */
  readonly name: string;
  /** The value of `WWW-Authenticate` on a failed check. */
  readonly wwwAuthenticate: string;
  /** False: the headers alone are checked, before any of the body is read. */
  readonly signsBody: boolean;
  /** The headers to send. `body` and `id` matter only to a scheme that covers them. */
  sign(message: {
    readonly secret: string;
    readonly now: Date;
    readonly body?: Uint8Array;
    readonly id?: string;
  }): Headers;
  /**
   * What is wrong with a secret beyond the kit's own rules, never quoting it; undefined for a good one. Called at
   * construction, and for every secret that a function returns.
   */
  checkSecret?(secret: string): string | undefined;
  /**
   * Parses the headers strictly, or says why they are rejected. The message must not quote them: it is logged and printed. `rawHeaders` is
   * Node's list: name, value, name, value.
   */
  parse(rawHeaders: readonly string[]): ParsedSignature | SignatureProblem;
  /**
   * Returns which secret signed, and by which variant of the scheme. Compares with every secret in constant time, so that a timing
   * attack learns nothing.
   * `body` is there when `signsBody` is true.
   */
  verify(
    parsed: ParsedSignature,
    secrets: readonly string[],
    body: Uint8Array | undefined,
  ): SigningSecret | Promise<SigningSecret>;
}
