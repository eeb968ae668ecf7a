import type { AnyOffersError } from "../errors/any-offers-error.ts";

/** Retry for every operation, only for one whose second arrival has no second effect, or never. */
type RetryRule = "always" | "ifRepeatable" | "never";

/** The retry decision for each error code (D-50). */
export const retryPolicy: Record<AnyOffersError["code"], RetryRule> = {
  // The request was never sent, so it had no effect (D-40).
  connect_failed: "always",

  // The request may have been received, and the condition may pass.
  connection_lost: "ifRepeatable",
  timeout: "ifRepeatable",
  rate_limited: "ifRepeatable",
  server_error: "ifRepeatable",

  // The same request gets the same response. The exception, 408, is in `ruleFor`.
  bad_request: "never",
  forbidden: "never",
  not_found: "never",
  conflict: "never",
  invalid_response: "never",
  response_too_large: "never",
  unexpected_redirect: "never",

  // A refreshed key is another attempt, but no retry (D-47).
  unauthenticated: "never",

  // Waiting corrects neither a certificate nor a port.
  tls_failed: "never",
  port_blocked: "never",

  // The caller ended the call.
  aborted: "never",

  // The caller's own code or options failed.
  api_key_provider_failed: "never",
  middleware_failed: "never",
  invalid_api_key: "never",
  invalid_argument: "never",
  invalid_base_url: "never",
  invalid_id: "never",
  invalid_option: "never",
  invalid_time: "never",
};

/** 408 asks for the same request again (RFC 9110, 15.5.9); it shares its code with the other 4xx. */
export const ruleFor = ({ code, status }: AnyOffersError): RetryRule =>
  status === 408 ? "ifRepeatable" : retryPolicy[code];
