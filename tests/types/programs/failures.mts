// The public API of errors: every class, its name and its codes.
import * as client from "@offers/client";
import * as kit from "@offers/webhook-kit";

interface ClientCodes {
  BadRequestError: "bad_request";
  AuthenticationError: "unauthenticated" | "api_key_provider_failed";
  PermissionError: "forbidden";
  NotFoundError: "not_found";
  ConflictError: "conflict";
  RateLimitError: "rate_limited";
  ServerError: "server_error";
  InvalidResponseError: "invalid_response" | "response_too_large" | "unexpected_redirect";
  ConnectionError: "connect_failed" | "connection_lost" | "port_blocked" | "tls_failed";
  TimeoutError: "timeout";
  AbortedError: "aborted";
  UsageError:
    | "invalid_base_url"
    | "invalid_api_key"
    | "invalid_option"
    | "invalid_id"
    | "invalid_time"
    | "invalid_argument"
    | "middleware_failed";
}

interface KitCodes {
  ConfigurationError:
    | "invalid_option"
    | "invalid_secret"
    | "short_secret"
    | "body_already_consumed"
    | "wrong_request_type"
    | "inbox_key_required"
    | "inbox_used_twice";
  HandlerError: "handler_failed" | "handler_timed_out" | "invalid_handler_result";
  UnavailableError:
    | "secret_lookup_failed"
    | "invalid_secret"
    | "signature_scheme_error"
    | "deduplication_full"
    | "deduplication_failed"
    | "inbox_table_missing"
    | "inbox_unavailable"
    | "feed_failed";
  InternalError: "internal_error" | "tracer_failed";
  InvalidEventError: "invalid_event";
}

/** The codes of every error class in a module, by its export name, which is also the `name` of its errors. */
type CodesIn<Module> = {
  -readonly [Name in keyof Module as Module[Name] extends abstract new (
    ...args: never[]
  ) => { name: Name; code: string }
    ? Name
    : never]: Module[Name] extends abstract new (...args: never[]) => { code: infer Code } ? Code : never;
};

/** The codes of each member of a union of errors, by its name. */
type CodesOf<Union extends { name: string; code: string }> = { [Member in Union as Member["name"]]: Member["code"] };

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

export const areExact = [true, true, true, true] satisfies [
  Equal<CodesIn<typeof client>, ClientCodes>,
  Equal<CodesOf<client.AnyOffersError>, ClientCodes>,
  Equal<CodesIn<typeof kit>, KitCodes>,
  Equal<CodesOf<kit.AnyWebhookKitError>, KitCodes>,
];

/** Checks that a code narrows the union to the classes that have it, and that handling all codes of a class leaves `never`. */
export function narrow(error: client.AnyOffersError | kit.AnyWebhookKitError): string {
  switch (error.code) {
    case "rate_limited":
      return error.name satisfies "RateLimitError";
    case "api_key_provider_failed":
      return (error satisfies client.AuthenticationError).name;
    case "invalid_secret":
      return error.name satisfies "ConfigurationError" | "UnavailableError";
    // @ts-expect-error: no error has this code
    case "nope":
      return "";
  }
  if (error instanceof client.ConnectionError)
    switch (error.code) {
      case "connect_failed":
      case "connection_lost":
      case "port_blocked":
      case "tls_failed":
        return error.code;
      default:
        return error satisfies never;
    }
  // @ts-expect-error: no error has this name
  return error.name === "nope" ? "" : error.message;
}

export function inspect(error: unknown): number | string | undefined {
  if (client.isOffersError(error)) {
    // @ts-expect-error: no error has this code
    if (error.code === "nope") return 1;
    if (error.code === "rate_limited") return error.status satisfies 429;
    if (error.code === "unauthenticated") return (error satisfies client.AuthenticationError).name;
    if (error.status === 409) return error.name satisfies "ConflictError";
  }
  if (error instanceof client.AuthenticationError && error.code !== "api_key_provider_failed")
    return error.code satisfies "unauthenticated";
  if (error instanceof kit.HandlerError && error.code === "invalid_handler_result")
    return Object.keys(error.fields ?? {})[0];
  // @ts-expect-error: only a HandlerError has fields
  if (error instanceof kit.UnavailableError) return Object.keys(error.fields)[0];
  return undefined;
}

export async function readTitle(offers: client.OffersClient): Promise<string> {
  const result = await offers.getOffer("offer_1").safe();
  if (result.ok) return result.data.title;
  // @ts-expect-error: no error has this code
  if (result.error.code === "nope") return "";
  return result.error.code === "timeout" ? (result.error.name satisfies "TimeoutError") : result.error.message;
}
