/** What a user may rely on: every code of every error class, by package. */
export const errorCodes = {
  "@offers/client": {
    BadRequestError: ["bad_request"],
    AuthenticationError: ["unauthenticated", "api_key_provider_failed"],
    PermissionError: ["forbidden"],
    NotFoundError: ["not_found"],
    ConflictError: ["conflict"],
    RateLimitError: ["rate_limited"],
    ServerError: ["server_error"],
    InvalidResponseError: ["invalid_response", "response_too_large", "unexpected_redirect"],
    ConnectionError: ["connect_failed", "connection_lost", "port_blocked", "tls_failed"],
    TimeoutError: ["timeout"],
    AbortedError: ["aborted"],
    UsageError: [
      "invalid_base_url",
      "invalid_api_key",
      "invalid_option",
      "invalid_id",
      "invalid_time",
      "invalid_argument",
      "middleware_failed",
    ],
  },
  "@offers/webhook-kit": {
    ConfigurationError: ["invalid_option", "invalid_secret", "short_secret", "body_already_consumed"],
    HandlerError: ["handler_failed", "handler_timed_out", "invalid_handler_result"],
    UnavailableError: [
      "secret_lookup_failed",
      "invalid_secret",
      "signature_scheme_error",
      "deduplication_full",
      "deduplication_failed",
    ],
    InternalError: ["internal_error", "tracer_failed"],
  },
} as const satisfies Record<string, Record<string, readonly string[]>>;
