import type { ClientOptions, RequestOptions } from "openapi-fetch";
import { callNames } from "../options/check-options.ts";
import type { CallOptions } from "../options/options.ts";

/** Options that openapi-fetch reads or passes to a `Request`; this package's transport ignores them. */
const others: Record<
  Exclude<keyof RequestOptions<unknown> | keyof RequestInit | keyof ClientOptions | "params", "signal">,
  0
> & { dispatcher: 0; duplex: 0 } = {
  // Only in Node: undici's.
  dispatcher: 0,
  duplex: 0,
  params: 0,
  baseUrl: 0,
  querySerializer: 0,
  bodySerializer: 0,
  pathSerializer: 0,
  parseAs: 0,
  fetch: 0,
  headers: 0,
  middleware: 0,
  Request: 0,
  requestInitExt: 0,
  body: 0,
  cache: 0,
  credentials: 0,
  integrity: 0,
  keepalive: 0,
  method: 0,
  mode: 0,
  priority: 0,
  redirect: 0,
  referrer: 0,
  referrerPolicy: 0,
  window: 0,
};

/** The options of this package, and unknown ones, which the client then rejects. */
export const callOptionsOf = (init: object): CallOptions =>
  Object.fromEntries(Object.entries(init).filter(([name]) => callNames.includes(name) || !Object.hasOwn(others, name)));
