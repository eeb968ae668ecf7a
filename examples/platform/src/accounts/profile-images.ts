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
  /** Called with internal errors. */
  onError: (error: unknown) => void;
  /** How long results are cached, in milliseconds. @default 300_000 */
  cacheMs?: number;
}

const maxImageBytes = 1024 * 1024;
const maxCachedImages = 32;

/**
 * Creates a function that fetches pictures through the SSRF guard, without a signature, because their URLs may point to any server
 * (D-23). Caches the latest 32 results, including failures, for `cacheMs`.
 */
export function createProfileImageFinder({
  endpointClient,
  onError,
  cacheMs = 300_000,
}: ProfileImagesOptions): FindProfileImage {
  const cache = new Map<string, Promise<ProfileImage | undefined>>();

  const fetchImage = async (url: string): Promise<ProfileImage | undefined> => {
    const result = await endpointClient.send({
      method: "GET",
      baseAddress: url,
      isCompleteUrl: true,
      path: "profile image",
      headers: { accept: "image/avif,image/webp,image/png,image/jpeg,image/gif" },
      timeoutMs: requestTimeoutMs,
      maxReadBytes: maxImageBytes,
    });
    if (!result.ok || result.status !== 200 || result.truncated) return undefined;
    // Do not trust the Content-Type, because the body could be code that a browser executes.
    const type = detectImageType(result.body);
    return type === undefined ? undefined : { type, bytes: result.body };
  };

  const addToCache = (url: string, image: Promise<ProfileImage | undefined>): void => {
    const [oldest] = cache.keys();
    if (cache.size === maxCachedImages && oldest !== undefined) cache.delete(oldest);
    cache.set(url, image);
    const expire = (): void => {
      if (cache.get(url) === image) cache.delete(url);
    };
    setTimeout(expire, cacheMs).unref();
  };

  return (url) => {
    const cachedImage = cache.get(url);
    if (cachedImage !== undefined) return cachedImage;
    const image = fetchImage(url).catch((error: unknown) => {
      onError(error);
      return undefined;
    });
    addToCache(url, image);
    return image;
  };
}

/** Checks for the magic numbers of raster formats. SVG is not supported, because it may contain scripts. */
const signatures: readonly (readonly [type: string, matches: (bytes: Buffer) => boolean])[] = [
  ["image/png", (bytes) => bytes.subarray(0, 8).equals(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"))],
  ["image/jpeg", (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))],
  ["image/gif", (bytes) => /^GIF8[79]a$/.test(readText(bytes, 0, 6))],
  ["image/webp", (bytes) => readText(bytes, 0, 4) === "RIFF" && readText(bytes, 8, 12) === "WEBP"],
  [
    "image/avif",
    (bytes) => readText(bytes, 4, 8) === "ftyp" && readBrands(bytes).some((brand) => /^avi[fs]$/.test(brand)),
  ],
];

/** Detects the media type of an image by its magic number. @returns undefined for an unsupported format */
export const detectImageType = (bytes: Buffer): string | undefined =>
  signatures.find(([, matches]) => matches(bytes))?.[0];

const readText = (bytes: Buffer, start: number, end: number): string => bytes.toString("latin1", start, end);

/** Reads the major and compatible brands of an ISO base media file (ISO/IEC 14496-12). */
function readBrands(bytes: Buffer): string[] {
  // The compatible brands start at byte 16, after the major brand and its version. Read only the first few.
  const boxEnd = Math.min(bytes.length >= 4 ? bytes.readUInt32BE(0) : 0, bytes.length, 128);
  const brands = [readText(bytes, 8, 12)];
  for (let at = 16; at + 4 <= boxEnd; at += 4) brands.push(readText(bytes, at, at + 4));
  return brands;
}

/** The maximum length of a URL. Its reference becomes part of a path, and servers reject long paths. */
const maxUrlLength = 2_000;

const encryptionOwner = (sessionId: string): string => `profile image ${sessionId}`;

/**
 * Encrypts the URL of a picture into a reference that is valid for one session, so that the image route fetches only URLs that were
 * suggested in that session (SSRF).
 *
 * @returns undefined for a URL that is too long
 */
export const encryptImageUrl = (url: string, encryptionKey: Uint8Array, sessionId: string): string | undefined =>
  url.length <= maxUrlLength ? encrypt(url, encryptionKey, encryptionOwner(sessionId)) : undefined;

/** Decrypts a reference into the URL. @throws {StoreError} if the reference is forged, modified, or from another session */
export const decryptImageUrl = (reference: string, encryptionKey: Uint8Array, sessionId: string): string =>
  decrypt(reference, encryptionKey, encryptionOwner(sessionId));
