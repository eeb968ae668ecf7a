/**
 * `@offers/client/node`: the client over undici, for Node from 22.19.
 *
 * @module node
 */
export { type UndiciFetch, undiciFetch } from "./entries/undici-fetch.ts";
export type { FetchResponse } from "./http.ts";
