import { createUsageError } from "../errors/create-usage-error.ts";
import { kindOf } from "../errors/kind-of.ts";
import { closestName } from "./closest-name.ts";
import type { CallOptions, OffersClientOptions } from "./options.ts";

/** Every option name; the type makes the compiler require new ones here. */
const clientOptions: Record<keyof OffersClientOptions, 0> = {
  baseUrl: 0,
  apiKey: 0,
  apiKeyHeader: 0,
  apiVersion: 0,
  timeoutMs: 0,
  totalTimeoutMs: 0,
  maxRetries: 0,
  maxRetryAfterMs: 0,
  maxResponseBytes: 0,
  serviceHonoursIdempotencyKey: 0,
  fetch: 0,
  middleware: 0,
  logger: 0,
  onRetry: 0,
  userAgent: 0,
};
const callOptions: Record<keyof CallOptions, 0> = {
  signal: 0,
  timeoutMs: 0,
  totalTimeoutMs: 0,
  maxRetries: 0,
  idempotencyKey: 0,
  headers: 0,
};
const clientNames = Object.keys(clientOptions);
export const callNames: readonly string[] = Object.keys(callOptions);

/** @throws {UsageError} `invalid_option` */
export function refuse(text: string): never {
  throw createUsageError("invalid_option", text);
}

function checkFunction(name: string, value: unknown): void {
  if (typeof value !== "function") refuse(`${name} is ${kindOf(value)}; give a function`);
}

function checkNames(given: object, names: readonly string[], elsewhere: (name: string) => string | undefined): void {
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    const right = closestName(name, names);
    const remedy = elsewhere(name) ?? (right ? `did you mean ${right}?` : `there are ${names.join(", ")}`);
    refuse(`unknown option "${name.slice(0, 99)}"; ${remedy}`);
  }
}

/**
 * Checks for unknown names and wrong types. Limits and texts are checked where they are read.
 *
 * @throws {UsageError} `invalid_option`
 */
export function checkClientOptions(given: OffersClientOptions): void {
  if (typeof given !== "object" || !given || Array.isArray(given) || given instanceof URL)
    refuse(`the options are ${kindOf(given)}; give an object: new OffersClient({ baseUrl, apiKey })`);
  checkNames(given, clientNames, (name) => (callNames.includes(name) ? "it is a call option" : undefined));
  const { middleware = [], logger, serviceHonoursIdempotencyKey: honours } = given;
  for (const name of ["fetch", "onRetry"] as const) if (given[name] !== undefined) checkFunction(name, given[name]);
  if (honours !== undefined && typeof honours !== "boolean")
    refuse(`serviceHonoursIdempotencyKey is ${kindOf(honours)}; give true or false`);
  if (!Array.isArray(middleware)) refuse(`middleware is ${kindOf(middleware)}; give an array of functions`);
  for (const [index, layer] of middleware.entries()) checkFunction(`middleware[${index}]`, layer);
  if (logger !== undefined)
    for (const level of ["debug", "warn"] as const)
      if (typeof Object(logger)[level] !== "function")
        refuse(`logger is ${kindOf(logger)} without a function ${level}; give console or pino()`);
}

/** @throws {UsageError} `invalid_option`, or `invalid_argument` for a `signal` that is not an AbortSignal */
export function checkCallOptions(given: CallOptions, names: readonly string[] = callNames): void {
  const isSignal = "addEventListener" in Object(given);
  if (typeof given !== "object" || !given || Array.isArray(given) || isSignal)
    refuse(
      `the call options are ${isSignal ? "an AbortSignal" : kindOf(given)}; ` +
        `give an object: ${isSignal ? "{ signal }" : "{ timeoutMs: 5_000 }"}`,
    );
  checkNames(given, names, (name) => {
    if (name === "pollIntervalMs") return "only watchOffer has it";
    if (name === "apiKey") return "use withApiKey()";
    return clientNames.includes(name) ? "give it to new OffersClient()" : undefined;
  });
  const { signal, headers } = given;
  if (signal !== undefined && typeof Object(signal).addEventListener !== "function")
    throw createUsageError("invalid_argument", "signal must be an AbortSignal: the .signal of an AbortController");
  const kind = Object.prototype.toString.call(headers);
  if (headers !== undefined && kind !== "[object Object]")
    refuse(`headers is ${kind}; give an object: Object.fromEntries(headers)`);
}
