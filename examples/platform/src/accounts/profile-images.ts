import { requestTimeoutMs } from "@offers/contract/decisions";
import type { EndpointClient } from "../endpoint-client/endpoint-client.ts";
import { decrypt, encrypt } from "../store/encrypt.ts";

export interface ProfileImage {
  type: string;
  bytes: Buffer;
}

/** Fetches the picture of a suggested person. Resolves with undefined if it cannot be shown. */
export type FindProfileImage = (url: string) => Promise<ProfileImage | undefined>;

export interface ProfileImagesOptions {
  endpointClient: EndpointClient;
  /** Receives internal errors. */
  onError: (error: unknown) => void;
  /** How long results are cached, in milliseconds. @default 300_000 */
  cacheMs?: number;
}

const maxBytes = 1024 * 1024;
const maxKept = 32;

/**
 * Fetches pictures through the SSRF guard and without a signature, since the URL may point to any server (D-23). Results are
 * cached for a few minutes, failures included.
 */
export function profileImages({ endpointClient, onError, cacheMs = 300_000 }: ProfileImagesOptions): FindProfileImage {
  const kept = new Map<string, Promise<ProfileImage | undefined>>();

  const fetchImage = async (url: string): Promise<ProfileImage | undefined> => {
    const result = await endpointClient.send({
      method: "GET",
      baseAddress: url,
      isCompleteUrl: true,
      path: "profile image",
      headers: { accept: "image/avif,image/webp,image/png,image/jpeg,image/gif" },
      timeoutMs: requestTimeoutMs,
      maxReadBytes: maxBytes,
    });
    if (!result.ok || result.status !== 200 || result.truncated) return undefined;
    // Do not trust its Content-Type: the body could be something that a browser executes.
    const type = imageTypeOf(result.body);
    return type === undefined ? undefined : { type, bytes: result.body };
  };

  const keep = (url: string, image: Promise<ProfileImage | undefined>): void => {
    const [oldest] = kept.keys();
    if (kept.size === maxKept && oldest !== undefined) kept.delete(oldest);
    kept.set(url, image);
    setTimeout(() => kept.get(url) === image && kept.delete(url), cacheMs).unref();
  };

  return (url) => {
    const known = kept.get(url);
    if (known !== undefined) return known;
    const image = fetchImage(url).catch((error: unknown) => {
      onError(error);
      return undefined;
    });
    keep(url, image);
    return image;
  };
}

/** Magic numbers of raster formats. SVG is left out because it may contain scripts. */
const signatures: readonly (readonly [type: string, fits: (bytes: Buffer) => boolean])[] = [
  ["image/png", (bytes) => bytes.subarray(0, 8).equals(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"))],
  ["image/jpeg", (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))],
  ["image/gif", (bytes) => /^GIF8[79]a$/.test(text(bytes, 0, 6))],
  ["image/webp", (bytes) => text(bytes, 0, 4) === "RIFF" && text(bytes, 8, 12) === "WEBP"],
  ["image/avif", (bytes) => text(bytes, 4, 8) === "ftyp" && brandsOf(bytes).some((brand) => /^avi[fs]$/.test(brand))],
];

/** Detects the media type by its magic number. Returns undefined for an unsupported format. */
export const imageTypeOf = (bytes: Buffer): string | undefined => signatures.find(([, fits]) => fits(bytes))?.[0];

const text = (bytes: Buffer, start: number, end: number): string => bytes.toString("latin1", start, end);

/** Reads the major and compatible brands of an ISO base media file (ISO/IEC 14496-12). */
function brandsOf(bytes: Buffer): string[] {
  const boxEnd = Math.min(bytes.length >= 4 ? bytes.readUInt32BE(0) : 0, bytes.length, 128);
  const brands = [text(bytes, 8, 12)];
  for (let at = 16; at + 4 <= boxEnd; at += 4) brands.push(text(bytes, at, at + 4));
  return brands;
}

/** Limits the length of a reference, which becomes a path segment: servers reject long paths. */
const maxUrlLength = 2_000;

const ownerOf = (sessionId: string): string => `profile image ${sessionId}`;

/**
 * Encrypts a picture's URL into a reference that is valid for one session, so that the image route fetches only URLs that
 * were suggested in that session (SSRF).
 *
 * @returns undefined for a URL that is too long
 */
export const referenceOf = (url: string, encryptionKey: Uint8Array, sessionId: string): string | undefined =>
  url.length <= maxUrlLength ? encrypt(url, encryptionKey, ownerOf(sessionId)) : undefined;

/** @throws {StoreError} if the reference is forged, modified, or from another session */
export const urlOf = (reference: string, encryptionKey: Uint8Array, sessionId: string): string =>
  decrypt(reference, encryptionKey, ownerOf(sessionId));
