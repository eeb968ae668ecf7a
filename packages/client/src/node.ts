/**
 * `@offers/client/node`: a `fetch` that uses undici.
 *
 * @module node
 */
export { type UndiciFetch, undiciFetch } from "./entries/undici-fetch.ts";
export type { FetchResponse } from "./http.ts";
