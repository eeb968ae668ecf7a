import { type ProblemCode, problemKinds } from "./problem-kinds.ts";

/** From the name of a parameter or field (`events[0].end`) to its remedies. */
export type FieldErrors = Map<string, string[]>;

/** Bounds the response to a body with many invalid entries. */
export const maxFields = 100;

export interface ProblemOptions extends ErrorOptions {
  errors?: FieldErrors | undefined;
  /** Extension members beside the standard ones (RFC 9457, 3.2). */
  extensions?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** An error that becomes a response with problem details (RFC 9457). Thrown anywhere below a route. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly code: ProblemCode;
  readonly status: number;
  readonly errors: FieldErrors | undefined;
  readonly extensions: Record<string, unknown>;
  readonly headers: Record<string, string>;

  /** @param detail for the reader of the response: what to do about it */
  constructor(code: ProblemCode, detail: string, { errors, extensions, headers, ...options }: ProblemOptions = {}) {
    super(detail, options);
    this.code = code;
    this.status = problemKinds[code].status;
    this.errors = errors;
    this.extensions = extensions ?? {};
    this.headers = headers ?? {};
  }

  /** The same problem with another status. */
  withStatus(status: number): ProblemError {
    return Object.assign(new ProblemError(this.code, this.message, this), { status });
  }
}

/** Reports all invalid fields of a request at once. */
export function invalidRequest(errors: FieldErrors): ProblemError {
  const fields = errors.size === 1 ? "1 field is" : `${errors.size} fields are`;
  const detail =
    errors.size < maxFields
      ? `${fields} not valid; see errors.`
      : `${maxFields} fields or more are not valid; errors names the first ${maxFields}.`;
  return new ProblemError("invalid_request", detail, { errors });
}
