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
import { Failure, redact } from "../errors/failure.ts";
import type { ErrorClass, Problem } from "../errors/offers-error.ts";
import type { FetchResponse } from "../http.ts";
import type { Operation } from "./operations.ts";
import type { PreparedRequest } from "./prepare-request.ts";
import type { ReportShape } from "./read-offer.ts";
import { quote, readProblem, summarise } from "./read-problem.ts";

/**
 * The typed data of a successful response. Throws the failure of any other.
 *
 * @param text undefined when the body exceeds `maxResponseBytes`
 */
export function readResponse<Data>(
  operation: Operation<never, Data>,
  { status, headers }: FetchResponse,
  text: string | undefined,
  request: Pick<PreparedRequest, "url" | "body">,
  maxResponseBytes: number,
  key: string,
  id: unknown,
  report: ReportShape,
): Data {
  const isAbsent = status === operation.absentStatus;
  const isSuccess = status > 199 && status < 300 && !isAbsent;
  const header = (name: string) => redact(headers.get(name) ?? "", key);
  let problem = "";
  if (isSuccess && text !== undefined) {
    try {
      return operation.decode(text, report);
    } catch (thrown) {
      problem = describeBody(thrown, text, quote(header("content-type"), 100));
    }
  }
  const details = {
    status,
    requestId: header("x-request-id") || header("request-id") || undefined,
    retryAfterMs: readRetryAfter(header("retry-after")),
  };
  if (status >= 400 || isAbsent) {
    const problem = readProblem(text ?? "", key);
    const [kind, remedy] = kindOf(status, operation, problem);
    const wait = details.retryAfterMs;
    const parts = [
      status,
      ...summarise(problem ?? {}, request.body, id),
      wait === undefined ? "" : `Retry-After asks to wait ${Math.ceil(wait / 1000)} s`,
      remedy,
    ];
    throw new Failure(kind, parts.filter(Boolean).join("; "), { ...details, problem });
  }
  let code: InvalidResponseError["code"] = "invalid_response";
  let message = `, but ${problem}`;
  if (status === 304) message = "; leave out conditional headers";
  else if (!isSuccess) {
    const target = header("location");
    const origin = URL.canParse(target, request.url) ? new URL(target, request.url).origin : "?";
    code = "unexpected_redirect";
    message = `; redirects are not followed (${origin}); check baseUrl`;
  } else if (text === undefined) {
    code = "response_too_large";
    const limit = maxResponseBytes.toLocaleString("en");
    message = `, but the body exceeds maxResponseBytes (${limit}); check baseUrl, or allow more`;
  }
  throw new Failure(InvalidResponseError, status + message, { ...details, code });
}

/** Why a body could not be decoded. A parser's own message is not shown: it may quote the body (D-49). */
function describeBody(thrown: unknown, text: string, type: string): string {
  const isMarkup = /^\s*</.test(text);
  if (!isMarkup && thrown instanceof Failure) return thrown.message;
  return `the body is ${isMarkup ? "markup, not" : "no valid"} JSON${type && ` (${type})`}; check baseUrl`;
}

const idRemedy = "check the id, and the key's organisation";

/** The error class of a status, and what to do about it. */
const kinds: Partial<Record<number, [ErrorClass, string]>> = {
  204: [NotFoundError, idRemedy],
  401: [AuthenticationError, "check apiKey and baseUrl"],
  403: [PermissionError, "use a key that may do this"],
  408: [BadRequestError, "try again"],
  409: [ConflictError, "read the offer: it may be complete or withdrawn"],
  429: [RateLimitError, "send fewer requests"],
};

function kindOf(
  status: number,
  { path }: Operation<never, unknown>,
  problem: Problem | undefined,
): [ErrorClass, string] {
  if (status === 404) {
    // Nothing has an id in a creation, and this code is the reference platform's for a path that it does not have.
    const isWrongPath = !path.includes("{id}") || problem?.code === "not_found";
    return [NotFoundError, isWrongPath ? "check the path of baseUrl" : problem ? idRemedy : `${idRemedy}; or baseUrl`];
  }
  return kinds[status] ?? (status < 500 ? [BadRequestError, "change the request"] : [ServerError, "try again later"]);
}

/** Parses a Retry-After header, seconds or an HTTP date, as milliseconds from now. Undefined for anything else. */
export function readRetryAfter(value: string, now = Date.now()): number | undefined {
  // Date.parse accepts almost any text; an HTTP date ends with GMT.
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : /GMT$/.test(value) ? Date.parse(value) - now : Number.NaN;
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}
