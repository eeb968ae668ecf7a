import { readRateLimit } from "@offers/contract/rate-limit";
import { retryAfterMs } from "@offers/contract/retry-after";
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
import { isFreshError, redact } from "../errors/failure.ts";
import type { ErrorClass, OffersErrorDetails } from "../errors/offers-error.ts";
import type { FetchResponse } from "../http.ts";
import type { Operation } from "./operations.ts";
import type { ReportShape } from "./read-offer.ts";
import { readProblem, summarise } from "./read-problem.ts";

/** A response whose body has been read. */
export interface ReceivedResponse {
  readonly response: FetchResponse;
  /** Undefined if the body exceeds `maxResponseBytes`. */
  readonly text: string | undefined;
}

/** The details of the request that errors depend on. */
interface SentRequest {
  readonly id: unknown;
  readonly body: string | null;
  readonly key: string;
  readonly maxResponseBytes: number;
}

/** Returns the typed data of a valid, successful response. Throws the error for any other response. */
export function readResponse<Data>(
  { absentStatus, decode }: Operation<never, Data>,
  { response, text }: ReceivedResponse,
  request: SentRequest,
  reportShape: ReportShape,
): Data {
  const { status } = response;
  const invalidResponse = (code: InvalidResponseError["code"], reason: string) =>
    new InvalidResponseError(formatMessage(status, reason, checkBaseUrl), {
      code,
      ...readDetails(response, request.key),
    });

  if (status >= 400 || status === absentStatus) throw createStatusError(response, text ?? "", request);
  // A 304 is not a redirect. It is invalid, because the client does not send conditional requests.
  if (status < 200 || (status > 299 && status !== 304))
    throw invalidResponse("unexpected_redirect", "redirects are not followed");
  if (text === undefined)
    throw invalidResponse("response_too_large", `the body exceeds maxResponseBytes (${request.maxResponseBytes})`);
  let reason = /^\s*<(!|html)/i.test(text) ? "the body is HTML, not JSON" : "the body is not JSON";
  try {
    if (status !== 304) return decode(text, reportShape);
  } catch (thrown) {
    // A parser's message is not shown, because it may quote the body (D-49).
    if (isFreshError(thrown)) reason = thrown.message;
  }
  throw invalidResponse("invalid_response", reason);
}

/** Creates the error for an error status, with the problem details from the body. */
function createStatusError(response: FetchResponse, text: string, request: SentRequest) {
  const { status } = response;
  const [ErrorType, remedy] = interpretErrorStatus(status);
  const problem = readProblem(text, request.key);
  const reason = problem && summarise(problem, request.body, request.id);
  // A creation has no id to check.
  const message = formatMessage(status, reason, status === 404 && request.id === undefined ? checkBaseUrl : remedy);
  return new ErrorType(message, { problem, ...readDetails(response, request.key) });
}

type StatusMeaning = readonly [type: ErrorClass, remedy: string];

/** Returns the error class for an error status, and what the user should do about it. */
export const interpretErrorStatus = (status: number): StatusMeaning =>
  statusMeanings[status] ?? (status < 500 ? [BadRequestError, "change the request"] : [ServerError, tryLater]);

const checkBaseUrl = "check baseUrl";
const tryLater = "try later";
const notFound: StatusMeaning = [NotFoundError, "check the id, apiKey and baseUrl"];

const statusMeanings: Partial<Record<number, StatusMeaning>> = {
  204: notFound,
  401: [AuthenticationError, "check apiKey and baseUrl"],
  403: [PermissionError, "check apiKey"],
  404: notFound,
  405: [BadRequestError, checkBaseUrl],
  408: [BadRequestError, tryLater],
  409: [ConflictError, "read the offer"],
  429: [RateLimitError, tryLater],
};

const formatMessage = (status: number, reason: string | undefined, remedy: string): string =>
  [status, reason, remedy].filter(Boolean).join("; ");

/** Returns the error details from the response. Redacts the key, which a service may echo in any header (D-49). */
function readDetails({ status, headers }: FetchResponse, key: string): OffersErrorDetails {
  const shownHeaders: Record<string, string> = {};
  for (const name of shownHeaderNames) {
    const value = redact(headers.get(name), key);
    if (value) shownHeaders[name] = value;
  }
  return {
    status,
    requestId: shownHeaders["x-request-id"] ?? shownHeaders["request-id"],
    retryAfterMs: retryAfterMs(shownHeaders["retry-after"], Date.now(), headers.get("date")),
    rateLimit: readRateLimit((name) => shownHeaders[name]),
    headers: shownHeaders,
  };
}

/** The headers that `error.headers` contains. Other headers may be secret (D-144). */
const shownHeaderNames = [
  "deprecation",
  "ratelimit",
  "ratelimit-policy",
  "request-id",
  "retry-after",
  "server-timing",
  "sunset",
  "x-request-id",
];
