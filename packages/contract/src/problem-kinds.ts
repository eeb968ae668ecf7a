/** The problem types of the operations in spec/openapi.yaml (D-19), by their stable codes. */
export const operationProblems = {
  malformed_json: { status: 400, title: "The body is not JSON" },
  missing_body: { status: 400, title: "The body is missing" },
  malformed_url: { status: 400, title: "The URL is malformed" },
  invalid_request: { status: 400, title: "The request is not valid" },
  unsupported_api_version: { status: 400, title: "The API version is not supported" },
  worker_not_applied: { status: 400, title: "Not every worker has applied" },
  invalid_api_key: { status: 401, title: "The API key is missing or invalid" },
  not_found: { status: 404, title: "Not found" },
  offer_not_found: { status: 404, title: "No such offer" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  offer_completed: { status: 409, title: "The offer is already complete" },
  offer_withdrawn: { status: 409, title: "The offer is withdrawn" },
  body_too_large: { status: 413, title: "The body is too large" },
  unsupported_media_type: { status: 415, title: "The body must be JSON" },
  idempotency_key_reused: { status: 422, title: "The idempotency key belongs to another request" },
} as const;
