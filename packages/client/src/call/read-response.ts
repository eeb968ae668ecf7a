import {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  InvalidResponseError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
} from "../errors/error-classes.ts";
import { isFailure, redact } from "../errors/failure.ts";
import type { ErrorClass, Problem } from "../errors/offers-error.ts";
import type { FetchResponse } from "../http.ts";
import type { Operation } from "./operations.ts";
import type { ReportShape } from "./read-offer.ts";
import { readProblem, summarise } from "./read-problem.ts";

/**
 * The typed data of a successful response. Throws the failure of any other.
 *
 * @param text undefined when the body exceeds `maxResponseBytes`
 */
export function readResponse<Data>(
  { absentStatus, decode }: Operation<never, Data>,
  { status, headers }: FetchResponse,
  text: string | undefined,
  body: string | null,
  maxResponseBytes: number,
  key: string,
  id: unknown,
  report: ReportShape,
): Data {
  let kind: ErrorClass = InvalidResponseError;
  let code: InvalidResponseError["code"] | undefined = "invalid_response";
  // A parser's own message is not shown: it may quote the body (D-49).
  let fault = "the body is not JSON";
  let remedy = "check baseUrl";
  let problem: Problem | undefined;
  if (status >= 400 || status === absentStatus) {
    [kind, remedy] =
      kinds[status] ?? (status < 500 ? [BadRequestError, "change the request"] : [ServerError, "try again later"]);
    // A creation has no id that could be wrong.
    if (status === 404 && id === undefined) remedy = "check baseUrl";
    code = undefined;
    problem = readProblem(text ?? "", key);
    fault = problem ? summarise(problem, body, id) : "";
  } else if (status < 200 || (status > 299 && status !== 304)) {
    code = "unexpected_redirect";
    fault = "redirects are not followed";
  } else if (text === undefined) {
    code = "response_too_large";
    fault = `the body exceeds maxResponseBytes (${maxResponseBytes})`;
  } else if (status !== 304)
    try {
      return decode(text, report);
    } catch (thrown) {
      if (isFailure(thrown)) fault = thrown.message;
    }
  throw new kind([status, fault, remedy].filter(Boolean).join("; "), {
    status,
    code,
    problem,
    requestId: redact(headers.get("x-request-id") || headers.get("request-id"), key),
    retryAfterMs: readRetryAfter(headers.get("retry-after") ?? ""),
  });
}

const absent: Kind = [NotFoundError, "check the id, apiKey and baseUrl"];

type Kind = [kind: ErrorClass, remedy: string];

/** The error class of a status, and what to do about it. */
const kinds: Partial<Record<number, Kind>> = {
  204: absent,
  401: [AuthenticationError, "check apiKey and baseUrl"],
  403: [PermissionError, "check apiKey"],
  404: absent,
  408: [BadRequestError, "try again later"],
  409: [ConflictError, "read the offer"],
  429: [RateLimitError, "try again later"],
};

/** Parses a Retry-After header, seconds or an HTTP date, as milliseconds from now. Undefined for anything else. */
export function readRetryAfter(value: string, now = Date.now()): number | undefined {
  // Date.parse accepts almost any text; an HTTP date ends with GMT.
  // At most twelve digits, 31,000 years: of 400, Number would make Infinity, which JSON writes as null.
  const waitMs = /^\d+$/.test(value) ? +value.slice(0, 12) * 1000 : Date.parse(/GMT$/.test(value) ? value : "") - now;
  return waitMs >= 0 ? waitMs : waitMs < 0 ? 0 : undefined;
}
