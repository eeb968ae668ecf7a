import { requestTimeoutMs } from "../generated/decisions.ts";
import type { Outbound } from "../outbound/outbound.ts";
import { imageTypeOf } from "./image-type.ts";

export interface ProfileImage {
  type: string;
  bytes: Buffer;
}

/** The picture at an address that an organisation suggested; undefined when there is none that can be shown. */
export type FindProfileImage = (url: string) => Promise<ProfileImage | undefined>;

export interface ProfileImagesOptions {
  outbound: Outbound;
  /** Told of what is our own fault. */
  onError: (error: unknown) => void;
  /** How long to keep what an address was answered with. @default 300_000 */
  keepMs?: number;
}

const maxBytes = 1024 * 1024;
const maxKept = 32;

/**
 * Fetches pictures through the guard, unsigned: their address may be anybody's (D-23). What came of it is kept for a few
 * minutes, a failure too: a page is searched anew and looked at again.
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
    // What the other side calls it does not count: it might be something that a browser runs.
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
