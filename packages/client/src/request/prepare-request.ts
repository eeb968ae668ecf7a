import type { OffersRequest } from "../http/offers-request.ts";
import type { Operation } from "../operations/operation.ts";
import { checkHeaderName, checkHeaderValue } from "../options/check-header.ts";
import { checkCallOptions } from "../options/check-options.ts";
import type { CallOptions } from "../options/options.ts";
import { type Limits, readLimits } from "../options/read-limits.ts";
import type { ClientSettings } from "../options/read-settings.ts";
import { fillPath } from "./fill-path.ts";

/** What all attempts of a call have in common. */
export interface PreparedRequest {
  readonly id: unknown;
  readonly template: Omit<OffersRequest, "attempt" | "headers" | "signal">;
  /** Without the API key. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: Limits;
  /** The caller's. */
  readonly signal: CallOptions["signal"];
  /** Whether a second arrival has no second effect (D-40). */
  readonly isRepeatable: boolean | undefined;
}

/** @throws {UsageError} for an invalid option or argument; errors of the argument's getters pass through */
export function prepareRequest<Argument>(
  settings: ClientSettings,
  { name: operation, method, path, encode }: Operation<Argument, unknown>,
  id: unknown,
  argument: Argument,
  options: CallOptions | undefined,
): PreparedRequest {
  if (options !== undefined) checkCallOptions(options);
  const url = settings.baseUrl + fillPath(path, id) + settings.query;
  const limits = options ? readLimits(options, settings.limits) : settings.limits;
  const headers: Record<string, string> = { ...settings.headers };
  for (const name in options?.headers)
    headers[checkHeaderName("headers", name)] = checkHeaderValue(name, options.headers[name]);
  let body: string | null = null;
  if (method === "POST") {
    const idempotencyKey = options?.idempotencyKey;
    headers["content-type"] = "application/json";
    // One per call, the same on every attempt (D-40).
    headers["idempotency-key"] =
      idempotencyKey === undefined ? crypto.randomUUID() : checkHeaderValue("idempotencyKey", idempotencyKey);
    body = JSON.stringify(encode ? encode(argument) : argument);
  }
  const isRepeatable = method === "GET" || settings.options.serviceHonoursIdempotencyKey;
  const template = { operation, method, url, body, maxResponseBytes: limits.maxResponseBytes };
  return { id, template, headers, limits, signal: options?.signal, isRepeatable };
}
