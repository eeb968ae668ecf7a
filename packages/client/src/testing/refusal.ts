/** The kinds of problems of spec/openapi.yaml (D-19), under their stable codes. */
export const problemKinds = {
  malformed_json: { status: 400, title: "The body is not JSON" },
  missing_body: { status: 400, title: "The body is missing" },
  malformed_url: { status: 400, title: "The address is malformed" },
  invalid_request: { status: 400, title: "The request is not valid" },
  unsupported_api_version: { status: 400, title: "The API version is not supported" },
  worker_not_applied: { status: 400, title: "Not every worker has applied" },
  invalid_api_key: { status: 401, title: "The API key is missing or wrong" },
  not_found: { status: 404, title: "Not found" },
  offer_not_found: { status: 404, title: "No such offer" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  offer_completed: { status: 409, title: "The offer is already complete" },
  offer_withdrawn: { status: 409, title: "The offer is withdrawn" },
  body_too_large: { status: 413, title: "The body is too large" },
  unsupported_media_type: { status: 415, title: "The body must be JSON" },
  idempotency_key_reused: { status: 422, title: "The idempotency key belongs to another request" },
} as const;

export type RefusalCode = keyof typeof problemKinds;

/** From the name of a field (`events[0].end`) to its remedies. */
export type FieldErrors = Map<string, string[]>;

/** A request, or a worker's response, that the service rejects. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly errors: FieldErrors | undefined;
  readonly headers: Record<string, string>;

  /** @param detail what to do about it */
  constructor(
    code: RefusalCode,
    detail: string,
    { errors, headers = {} }: { errors?: FieldErrors; headers?: Record<string, string> } = {},
  ) {
    super(detail);
    this.code = code;
    this.errors = errors;
    this.headers = headers;
  }
}

/** More wrong fields than these are not named. */
export const maxFields = 100;

/** Every field that is not valid, at once. */
export function invalidRequest(errors: FieldErrors): Refusal {
  const fields = errors.size === 1 ? "1 field is" : `${errors.size} fields are`;
  const detail =
    errors.size < maxFields
      ? `${fields} not valid; see errors.`
      : `${maxFields} fields or more are not valid; errors names the first ${maxFields}.`;
  return new Refusal("invalid_request", detail, { errors });
}
