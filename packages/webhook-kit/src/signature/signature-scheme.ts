import type { SignatureProblem } from "../errors/rejection.ts";

/**
 * The parsed headers, before verification.
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
  /** When the request was signed. `earliest` and `latest` differ if the header contains only the minute. */
  readonly signedAt: {
    /** The first instant that the timestamp can mean, in ms since the epoch. */
    readonly earliest: number;
    /** The last instant that the timestamp can mean, in ms since the epoch. */
    readonly latest: number;
  };
  /** The signature as bytes. The same bytes may be encoded in several ways. */
  readonly signature: Uint8Array;
  /** The signed id of the message, if the scheme signs one; it alone then identifies a duplicate. */
  readonly id?: string | undefined;
}

/** @inline */
type SignedHeaders = Readonly<Record<string, string>>;

/** @inline */
type SigningSecret =
  | {
      /** The index of the secret that signed. */
      readonly secretIndex: number;
      /** The variant of the scheme that the secret was used with. */
      readonly variant: string;
    }
  | undefined;

/**
 * How a webhook signature is made and verified. The kit includes `timestampDigest()` and `standardWebhooks()`; your own scheme needs three
 * functions. A scheme handles only bytes; the kit handles the clock, the tolerance and the secrets.
 *
 * @example
 * ```ts
 * import { type SignatureScheme, timestampDigest } from "@offers/webhook-kit";
 *
 * const documented = timestampDigest();
 *
 * // The same digest in a separate header, for a proxy that strips Authorization.
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
  /** The scheme's name, which is part of every deduplication key and is passed to `onVerified`. */
  readonly name: string;
  /** The `WWW-Authenticate` value in the response when verification fails. */
  readonly wwwAuthenticate: string;
  /** Whether the signature covers the body. If not, only the headers are checked, before any of the body is read. */
  readonly signsBody: boolean;
  /** Returns the headers to send. */
  sign(message: {
    /** The secret to sign with. */
    readonly secret: string;
    /** The time to sign with. */
    readonly now: Date;
    /** The body, for a scheme that covers it. */
    readonly body?: Uint8Array | undefined;
    /** The message's id, for a scheme that covers it. */
    readonly id?: string | undefined;
  }): Headers;
  /**
   * Returns what is wrong with a secret, beyond the kit's own checks and without quoting the secret; undefined if it is valid. Called at
   * construction, and for every secret that a function returns.
   */
  checkSecret?(secret: string): string | undefined;
  /**
   * Parses the headers strictly, or returns the reason to reject them. The message must not quote them, because it is logged and printed.
   * `rawHeaders` is Node's list: name, value, name, value.
   */
  parse(rawHeaders: readonly string[]): ParsedSignature | SignatureProblem;
  /**
   * Returns which secret signed, and with which variant of the scheme. It must compare with every secret in constant time, so that a timing
   * attack reveals nothing. `body` is set if `signsBody` is true.
   */
  verify(
    parsed: ParsedSignature,
    secrets: readonly string[],
    body: Uint8Array | undefined,
  ): SigningSecret | Promise<SigningSecret>;
}
