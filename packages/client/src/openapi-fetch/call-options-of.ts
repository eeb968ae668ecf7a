import type { ClientOptions, RequestOptions } from "openapi-fetch";
import { callNames } from "../options/check-options.ts";
import type { CallOptions } from "../options/options.ts";

/** What openapi-fetch itself reads, or hands to a `Request`: of no meaning to this package's transport. */
const others: Record<
  Exclude<keyof RequestOptions<unknown> | keyof RequestInit | keyof ClientOptions | "params", "signal">,
  0
> & { dispatcher: 0; duplex: 0 } = {
  // Of Node alone, as undici has them.
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

/** The client's part of what a call was given; what neither knows is among it, for the client to refuse. */
export const callOptionsOf = (init: object): CallOptions =>
  Object.fromEntries(Object.entries(init).filter(([name]) => callNames.includes(name) || !Object.hasOwn(others, name)));
