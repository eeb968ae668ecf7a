import type { Outbound } from "../dispatch/outbound/outbound.ts";
import { requestTimeoutMs } from "../generated/decisions.ts";
import { imageTypeOf } from "./image-type.ts";

export interface ProfileImage {
  type: string;
  bytes: Buffer;
}

/** Fetches the picture of a suggested person; undefined when it cannot be shown. */
export type FindProfileImage = (url: string) => Promise<ProfileImage | undefined>;

export interface ProfileImagesOptions {
  outbound: Outbound;
  /** Receives internal errors. */
  onError: (error: unknown) => void;
  /** How long results are cached. @default 300_000 */
  keepMs?: number;
}

const maxBytes = 1024 * 1024;
const maxKept = 32;

/**
 * Fetches pictures through the SSRF guard and without a signature, since the URL may belong to any server (D-23). Results are
 * cached for a few minutes, failures included.
 */
export function profileImages({ outbound, onError, keepMs = 300_000 }: ProfileImagesOptions): FindProfileImage {
  const kept = new Map<string, Promise<ProfileImage | undefined>>();

  const fetchImage = async (url: string): Promise<ProfileImage | undefined> => {
    const result = await outbound.send({
      ...{ method: "GET", baseAddress: url, isWholeAddress: true, path: "profile image" },
      headers: { accept: "image/avif,image/webp,image/png,image/jpeg,image/gif" },
      timeoutMs: requestTimeoutMs,
      maxReadBytes: maxBytes,
    });
    if (!result.ok || result.status !== 200 || result.truncated) return undefined;
    // Its Content-Type is not trusted: the body could be something that a browser executes.
    const type = imageTypeOf(result.body);
    return type === undefined ? undefined : { type, bytes: result.body };
  };

  const keep = (url: string, image: Promise<ProfileImage | undefined>): void => {
    const [oldest] = kept.keys();
    if (kept.size === maxKept && oldest !== undefined) kept.delete(oldest);
    kept.set(url, image);
    setTimeout(() => kept.get(url) === image && kept.delete(url), keepMs).unref();
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
