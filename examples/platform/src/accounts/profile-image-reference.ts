import { decrypt, encrypt } from "../store/encrypt.ts";

/** The reference is a path segment, which servers limit. */
const maxUrlLength = 2_000;

const ownerOf = (sessionId: string): string => `profile image ${sessionId}`;

/**
 * An encrypted reference to a picture's URL, valid for one session. So the image route fetches only URLs that were suggested
 * in that session (SSRF).
 *
 * @returns undefined for a URL that is too long
 */
export const referenceOf = (url: string, encryptionKey: Uint8Array, sessionId: string): string | undefined =>
  url.length <= maxUrlLength ? encrypt(url, encryptionKey, ownerOf(sessionId)) : undefined;

/** @throws {StoreError} when the reference is forged, changed, or of another session */
export const urlOf = (reference: string, encryptionKey: Uint8Array, sessionId: string): string =>
  decrypt(reference, encryptionKey, ownerOf(sessionId));
