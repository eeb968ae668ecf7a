import type { operationProblems } from "@offers/contract/problem-kinds";

export type RefusalCode = keyof typeof operationProblems;

/** The remedies for each invalid field, by its name (`events[0].end`). */
export type FieldErrors = Map<string, string[]>;

/** A request, or a worker's response, that the service rejects. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly errors: FieldErrors | undefined;
  readonly headers: Record<string, string>;

  /** @param detail how to correct the request */
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

/** The maximum number of invalid fields that a refusal lists. */
export const maxFields = 100;

/** Creates one refusal for all invalid fields. */
export function invalidRequest(errors: FieldErrors): Refusal {
  const fields = errors.size === 1 ? "1 field is" : `${errors.size} fields are`;
  const detail =
    errors.size < maxFields
      ? `${fields} not valid; see errors.`
      : `At least ${maxFields} fields are not valid; "errors" lists the first ${maxFields}.`;
  return new Refusal("invalid_request", detail, { errors });
}
