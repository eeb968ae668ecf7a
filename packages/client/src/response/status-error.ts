import type { Problem } from "../contract/problem.ts";
import type { AnyOffersError } from "../errors/any-offers-error.ts";
import type { ErrorClass, OffersErrorDetails } from "../errors/offers-error.ts";
import { hide, quote, textsOf } from "../errors/quote.ts";
import {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
} from "../errors/response-errors.ts";
import { readProblem } from "./read-problem.ts";

const notFound: [ErrorClass, string] = [NotFoundError, "check the id, and the key's organisation"];
const badRequest: [ErrorClass, string] = [BadRequestError, "change the request; see error.problem"];
const serverError: [ErrorClass, string] = [ServerError, "the service failed; try again later"];

/** The error class of a status, and what to do about it. */
const errorClasses: Partial<Record<number, [ErrorClass, string]>> = {
  204: notFound,
  401: [AuthenticationError, "check apiKey and baseUrl"],
  403: [PermissionError, "use a key that may do this"],
  404: notFound,
  408: [BadRequestError, "the request came too late; try again"],
  409: [ConflictError, "read the offer: it may be complete or withdrawn"],
  429: [RateLimitError, "send fewer requests, or wait"],
};

/** The error of a response with a 4xx or 5xx status, or with the one that stands for an absent offer (D-20). */
export function toStatusError(
  details: OffersErrorDetails & { readonly status: number },
  text: string | undefined,
  body: string | null,
  id: unknown,
  key: string,
): AnyOffersError {
  const { status, retryAfterMs } = details;
  const [ErrorClass, remedy] = errorClasses[status] ?? (status < 500 ? badRequest : serverError);
  const problem = readProblem(text ?? "", key);
  const wait = retryAfterMs === undefined ? "" : `Retry-After asks to wait ${Math.ceil(retryAfterMs / 1000)} s`;
  const parts = [status, ...summarise(problem, textsOf(body, id)), wait, remedy];
  return new ErrorClass(parts.filter(Boolean).join("; "), { ...details, problem }) as AnyOffersError;
}

/** Title, detail and the names of invalid fields. The values of fields are in `error.problem` alone (D-97). */
function summarise(problem: Problem | undefined, sent: readonly string[]): string[] {
  const { title = "", detail = "", errors = {} } = problem ?? {};
  const fields = Object.keys(errors);
  const named = fields.slice(0, 10).map((field) => quote(field, 100));
  if (fields.length > 10) named.push(`${fields.length - 10} more`);
  return [quote(title, 100), quote(hide(sent, detail), 300), named.length ? `see ${named.join(", ")}` : ""];
}
