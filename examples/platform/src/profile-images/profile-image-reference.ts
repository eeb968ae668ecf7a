import { seal, unseal } from "../store/seal.ts";

/** A reference is part of an address, and addresses have a length. */
const maxUrlLength = 2_000;

const ownerOf = (sessionId: string): string => `profile image ${sessionId}`;

/**
 * What a page says in place of a picture's address: only we can make it, only the session it was made for can use it. So
 * the route that serves pictures fetches nothing but what an organisation suggested to this very person.
 *
 * @returns undefined for an address too long to refer to
 */
export const referenceOf = (url: string, sealKey: Uint8Array, sessionId: string): string | undefined =>
  url.length <= maxUrlLength ? seal(url, sealKey, ownerOf(sessionId)) : undefined;

/** @throws {StoreError} when it was made up, changed, or made for another session */
export const urlOf = (reference: string, sealKey: Uint8Array, sessionId: string): string =>
  unseal(reference, sealKey, ownerOf(sessionId));
