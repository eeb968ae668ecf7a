import { kindOf, misuse } from "../errors/failure.ts";
import type { OffersRequest } from "../http.ts";
import type { CallOptions } from "../options/options.ts";
import {
  type CallSettings,
  type ClientSettings,
  checkHeaderName,
  checkHeaderValue,
  readCallOptions,
} from "../options/settings.ts";
import type { Operation } from "./operations.ts";

/** What all attempts of a call have in common. */
export interface PreparedRequest {
  readonly method: OffersRequest["method"];
  readonly url: string;
  /** Without the API key. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly options: CallSettings;
}

/** Fails for an invalid option, id or argument; errors of the argument's getters pass through. */
export function prepareRequest<Argument>(
  settings: ClientSettings,
  { method, path, encode }: Operation<Argument, unknown>,
  id: unknown,
  argument: Argument,
  callOptions: CallOptions | undefined,
): PreparedRequest {
  const options = callOptions === undefined ? settings.call : readCallOptions(callOptions, settings.call);
  // A function, for `replace` would interpret a dollar sign.
  const url = settings.baseUrl + path.replace("{id}", () => encodeId(id)) + settings.query;
  const headers: Record<string, string> = { accept: "application/json", "user-agent": settings.userAgent };
  for (const name in options.headers)
    headers[checkHeaderName("headers", name)] = checkHeaderValue(name, options.headers[name]);
  let body: string | null = null;
  if (method === "POST") {
    const { idempotencyKey } = options;
    headers["content-type"] = "application/json";
    // One per call, the same on every attempt (D-40).
    headers["idempotency-key"] =
      idempotencyKey === undefined ? crypto.randomUUID() : checkHeaderValue("idempotencyKey", idempotencyKey);
    body = JSON.stringify(encode ? encode(argument) : argument);
  }
  return { method, url, headers, body, options };
}

/** The id as one segment of a path, whatever it holds. encodeURIComponent refuses a lone surrogate, which is no text. */
function encodeId(id: unknown): string {
  if (typeof id === "string" && !/^\.{0,2}$|\p{Surrogate}/u.test(id)) return encodeURIComponent(id);
  const given = typeof id === "string" ? JSON.stringify(id) : kindOf(id);
  throw misuse("invalid_id", `id must be an offer's id, as createOffer() returns it, not ${given}`);
}
