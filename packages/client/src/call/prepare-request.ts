import { check, refuse } from "../errors/failure.ts";
import type { OffersRequest } from "../http.ts";
import type { CallOptions } from "../options/options.ts";
import {
  type CallSettings,
  type ClientSettings,
  checkHeaderName,
  checkHeaderValue,
  readOptions,
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
  const options = callOptions === undefined ? settings.call : readOptions(callOptions, settings.call);
  if (options.signal) check("signal", options.signal, "AbortSignal");
  // A function, for `replace` would interpret a dollar sign.
  const url = settings.baseUrl + path.replace("{id}", () => encodeId(id)) + settings.query;
  const headers: Record<string, string> = { accept: "application/json", "user-agent": settings.userAgent };
  for (const name in options.headers)
    headers[checkHeaderName("headers", name)] = checkHeaderValue(name, options.headers[name]);
  let body: string | null = null;
  if (method === "POST") {
    // One per call, the same on every attempt (D-40).
    const { idempotencyKey = crypto.randomUUID() } = options;
    headers["content-type"] = "application/json";
    headers["idempotency-key"] = checkHeaderValue("idempotencyKey", idempotencyKey);
    body = JSON.stringify(encode?.(argument));
  }
  return { method, url, headers, body, options };
}

/** The id as one segment of a path, whatever it holds. encodeURIComponent refuses a lone surrogate, which is no text. */
const encodeId = (id: unknown): string =>
  typeof id === "string" && !/^\.{0,2}$|[\uD800-\uDFFF]/u.test(id)
    ? encodeURIComponent(id)
    : refuse("invalid_id", "id must be an offer's id");
