import {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  InvalidResponseError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
} from "../errors/answer-errors.ts";
import type { OffersError, OffersErrorDetails } from "../errors/offers-error.ts";
import type { FetchResponse } from "../fetch.ts";
import type { Operation } from "../operation.ts";
import type { Answer } from "./attempt.ts";
import { readProblem } from "./read-problem.ts";
import type { Redact } from "./redact.ts";
import { readRetryAfter } from "./retry-after.ts";

const kinds: Partial<Record<number, new (...given: ConstructorParameters<typeof OffersError>) => OffersError>> = {
  204: NotFoundError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError,
};

/** Typed data of a successful answer; of any other, the error that it is. */
export function judge<Data>(
  operation: Operation<never, Data>,
  { response, text }: Answer,
  url: string,
  redact: Redact,
): Data {
  const { status } = response;
  const isAbsent = status === operation.absentStatus;
  const isSuccess = status >= 200 && status < 300 && !isAbsent;
  if (isSuccess) {
    try {
      return operation.decode(text);
    } catch {
      // Told below, without what was thrown: it may quote the body (D-49).
    }
  }

  const said = `${operation.name} was answered ${status}`;
  const details = readDetails(response, redact);
  if (isSuccess)
    throw new InvalidResponseError(
      "invalid_response",
      `${said}, but with no answer to it; does baseUrl lead to a proxy or a web page?`,
      details,
    );
  if (status < 400 && !isAbsent)
    throw new InvalidResponseError(
      "redirected",
      `${said} and led to ${redact(readOrigin(response, url))}; if that is where the service is, mend the baseUrl`,
      details,
    );

  const problem = readProblem(text, redact);
  // Title and fields only (D-49): a detail may hold what was sent, and messages end up in logs.
  const told = [said, problem?.title, ...Object.keys(problem?.errors ?? {})].filter(Boolean).join(": ");
  throw new (kinds[status] ?? (status < 500 ? BadRequestError : ServerError))(told, { ...details, problem });
}

const readDetails = ({ status, headers }: FetchResponse, redact: Redact): OffersErrorDetails => ({
  status,
  requestId: redact(headers.get("x-request-id") ?? headers.get("request-id") ?? "") || undefined,
  retryAfterMs: readRetryAfter(headers.get("retry-after")),
});

function readOrigin({ headers }: FetchResponse, url: string): string {
  const location = headers.get("location");
  return location && URL.canParse(location, url) ? new URL(location, url).origin : "an unknown origin";
}
