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
import type { OffersError } from "../errors/offers-error.ts";
import type { Operation } from "../operation.ts";
import type { Problem } from "../problem.ts";
import type { Answer } from "./attempt.ts";
import { readProblem } from "./read-problem.ts";
import { redact } from "./redact.ts";
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
  { name, absentStatus, decode }: Operation<never, Data>,
  { response: { status, headers }, text }: Answer,
  url: string,
  key: string,
): Data {
  const isAbsent = status === absentStatus;
  const isSuccess = status > 199 && status < 300 && !isAbsent;
  if (isSuccess) {
    try {
      return decode(text);
    } catch {
      // Told below, without what was thrown: it may quote the body (D-49).
    }
  }
  const header = (field: string) => redact(headers.get(field) ?? "", key);
  let Kind = kinds[status] ?? (status < 500 ? BadRequestError : ServerError);
  let told = `${name} was answered ${status}`;
  let code: InvalidResponseError["code"] | undefined;
  let problem: Problem | undefined;
  if (status < 400 && !isAbsent) {
    Kind = InvalidResponseError;
    // 304 leads nowhere.
    code = isSuccess || status === 304 ? "invalid_response" : "redirected";
    const target = header("location");
    told += `, ${code} (${URL.canParse(target, url) ? new URL(target, url).origin : "?"}); check baseUrl`;
  } else {
    problem = readProblem(text, key);
    // Title and fields only (D-49): a detail may hold what was sent, and messages end up in logs.
    for (const part of [problem?.title, ...Object.keys(problem?.errors ?? {})]) if (part) told += `: ${part}`;
  }
  throw new Kind(told, {
    status,
    code,
    problem,
    requestId: header("x-request-id") || header("request-id") || undefined,
    retryAfterMs: readRetryAfter(header("retry-after")),
  });
}
