import { createSignatureRejection, type Rejected } from "../http/rejected.ts";
import type { IncomingRequest, ReceivedBody } from "../http/request.ts";
import { sha256 } from "../signature/sha256.ts";
import type { VerifiedRequest } from "../signature/verify-signature.ts";

/** A key that a request must acquire before its handler starts. */
export interface DedupeKey {
  readonly key: string;
  readonly subject?: string | undefined;
  /**
   * Creates the rejection for another request with this key. If undefined, the other request counts as a duplicate, or is rejected while
   * this one is in progress (D-45).
   */
  readonly onConflict?: () => Rejected;
}

/** What identifies an event, in addition to its signature. */
export interface EventSource {
  readonly incoming: Pick<IncomingRequest<unknown>, "method" | "target">;
  readonly body: ReceivedBody | undefined;
  /** What the event is about, such as one worker's response to one offer (D-57). */
  readonly entity: readonly string[] | undefined;
}

export interface DedupeKeys {
  readonly keys: readonly DedupeKey[];
  /** How long the keys are kept once the handler has succeeded. */
  readonly keepMs: number;
  /** The key for a signed id; undefined if the scheme signs no id. */
  readonly messageKey: string | undefined;
}

/**
 * Creates the keys for replay protection: one for an event and, with `"single-use-signature"`, one for the request's signature. Without
 * deduplication, there are no keys.
 *
 * @param event undefined for a request that is handled every time it arrives
 */
export function createDedupeKeys(
  policy: {
    readonly deduplication: unknown;
    readonly replayProtection: "deduplicate" | "single-use-signature";
    readonly scheme: { readonly wwwAuthenticate: string };
    readonly toleranceMs: number;
  },
  request: VerifiedRequest,
  event: EventSource | undefined,
): DedupeKeys {
  const keys: DedupeKey[] = [];
  // Computed even without deduplication, because the handler's context contains it.
  const messageKey = computeMessageKey(request);
  if (policy.deduplication && event) keys.push(computeEventKey(request, event, messageKey));
  if (policy.deduplication && policy.replayProtection === "single-use-signature")
    keys.push({
      key: computeSignatureKey(request),
      onConflict: () => createSignatureRejection(signatureReused, policy.scheme.wwwAuthenticate),
    });
  return { keys, keepMs: computeKeepMs(request, policy.toleranceMs), messageKey };
}

/** The reason to reject a second request with the same signature (D-58). */
const signatureReused = {
  code: "signature_reused",
  message: "Another request already used this signature; does the service sign several requests within one minute?",
} as const;

/**
 * Returns an event's key and subject. Two events with the same key are duplicates. A scheme that signs only the time may give all events
 * within a minute the same signature, so the key also covers the rest of the request (D-45). A signed id alone identifies a message.
 */
export function computeEventKey(
  request: VerifiedRequest,
  { incoming: { method, target }, body, entity }: EventSource,
  signedKey = computeMessageKey(request),
): { readonly key: string; readonly subject: string | undefined } {
  if (signedKey !== undefined) return { key: signedKey, subject: undefined };
  const prefix = serialiseKey(request, "event", [encodeSignature(request), method, target, ...(entity ?? [])]);
  return { key: hash(prefix + hashBody(body)), subject: entity && hash(prefix) };
}

/** Returns the key for an event with a signed id; undefined if the scheme does not sign ids. */
export function computeMessageKey(request: VerifiedRequest): string | undefined {
  const { parsed, tenant, verified } = request;
  return parsed.id === undefined ? undefined : hashMessageId(tenant, verified.scheme, parsed.id);
}

export const hashMessageId = (tenant: string, scheme: string, id: string): string =>
  hash(JSON.stringify([tenant, scheme, "id", [id]]));

/**
 * Returns a signature's key; two requests with the same key have the same signature (D-58). If there is a signed id, the key is made from
 * the signed values: anyone can add an invalid signature to a list of signatures, but nobody can change the id or the time.
 */
export function computeSignatureKey(request: VerifiedRequest): string {
  const { id, signedAt } = request.parsed;
  const parts = id === undefined ? [encodeSignature(request)] : [id, String(signedAt.earliest)];
  return hash(serialiseKey(request, "signature", parts));
}

/** Hashes in base64url instead of hexadecimal, because it is shorter and an in-memory store contains many keys. */
const hash = (data: string | Uint8Array): string => sha256(data, "base64url");

const serialiseKey = ({ tenant, verified }: VerifiedRequest, kind: string, parts: readonly string[]): string =>
  JSON.stringify([tenant, verified.scheme, kind, parts]);

/** Returns the signature's bytes in hexadecimal, because its header may encode the same bytes in several ways. */
function encodeSignature({ parsed: { signature } }: VerifiedRequest): string {
  const { buffer, byteOffset, length } = signature;
  return Buffer.from(buffer, byteOffset, length).toString("hex");
}

function hashBody(body: ReceivedBody | undefined): string {
  if (body?.kind === "bytes") return hash(body.bytes);
  // A parser has consumed the bytes, but equal bodies have equal values.
  return body?.kind === "parsed" ? hash(JSON.stringify(body.value)) : "";
}

const idKeepMs = 72 * 60 * 60 * 1000;

/**
 * Returns how long to keep a key: as long as the same headers could pass verification again, or, with a signed id, as long as a sender may
 * retry. Without a signed id, the headers pass from `toleranceMs` before the signing time until `toleranceMs` after it.
 */
export const computeKeepMs = ({ parsed }: VerifiedRequest, toleranceMs: number): number =>
  parsed.id === undefined ? 2 * toleranceMs + parsed.signedAt.latest - parsed.signedAt.earliest : idKeepMs;
