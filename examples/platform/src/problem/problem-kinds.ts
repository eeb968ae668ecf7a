/** Every kind of problem the platform answers with (D-19). The key is the problem's stable `code`. */
export const problemKinds = {
  malformed_json: { status: 400, title: "The body is not JSON" },
  missing_body: { status: 400, title: "The body is missing" },
  malformed_url: { status: 400, title: "The address is malformed" },
  invalid_request: { status: 400, title: "The request is not valid" },
  unsupported_api_version: { status: 400, title: "The API version is not supported" },
  worker_not_applied: { status: 400, title: "Not every worker has applied" },
  invalid_api_key: { status: 401, title: "The API key is missing or wrong" },
  sign_in_failed: { status: 401, title: "Sign-in failed" },
  not_signed_in: { status: 401, title: "Not signed in" },
  not_found: { status: 404, title: "Nothing is here" },
  offer_not_found: { status: 404, title: "No such offer" },
  organisation_not_found: { status: 404, title: "No such organisation" },
  delivery_not_found: { status: 404, title: "No such delivery" },
  method_not_allowed: { status: 405, title: "The method is not allowed here" },
  offer_complete: { status: 409, title: "The offer is already complete" },
  offer_withdrawn: { status: 409, title: "The offer is withdrawn" },
  delivery_not_dead: { status: 409, title: "The delivery is no dead letter" },
  body_too_large: { status: 413, title: "The body is too large" },
  unsupported_media_type: { status: 415, title: "The body must be JSON" },
  idempotency_key_reused: { status: 422, title: "The idempotency key belongs to another request" },
  endpoint_check_failed: { status: 422, title: "The base address did not pass its checks" },
  internal_error: { status: 500, title: "Something went wrong on our side" },
  not_ready: { status: 503, title: "Not ready" },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problemKinds;
