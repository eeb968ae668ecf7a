import type { OffersError } from "../errors/offers-error.ts";
import {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  InvalidResponseError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
} from "../errors/response-errors.ts";
import type { OffersRequest } from "../middleware.ts";
import type { Operation } from "../operation.ts";
import type { Answer } from "./attempt.ts";
import { hide, quote, textsOf } from "./quote.ts";
import { readProblem } from "./read-problem.ts";
import { redact } from "./redact.ts";
import { readRetryAfter } from "./retry-after.ts";
import { UnfitResponse } from "./unfit-response.ts";

type Kind = new (...given: ConstructorParameters<typeof OffersError>) => OffersError;

const absent: [Kind, string] = [NotFoundError, "check the id, and the key's organisation"];
const refused: [Kind, string] = [BadRequestError, "change the request; see error.problem"];

/** The kind of error that a status is, and what to do about it. */
const kinds: Partial<Record<number, [Kind, string]>> = {
  204: absent,
  401: [AuthenticationError, "check apiKey and baseUrl"],
  403: [PermissionError, "use a key that may do this"],
  404: absent,
  408: [BadRequestError, "the request came too late; try again"],
  409: [ConflictError, "read the offer: it may be complete or withdrawn"],
  429: [RateLimitError, "send fewer requests, or wait"],
};
const failed: [Kind, string] = [ServerError, "the service failed; try again later"];

type Asked = Pick<OffersRequest, "url" | "body" | "maxResponseBytes">;

/** Typed data of a successful answer; of any other, the error that it is. */
export function judge<Data>(
  { absentStatus, decode }: Operation<never, Data>,
  { response: { status, headers }, text }: Answer,
  { url, body, maxResponseBytes }: Asked,
  key: string,
  id?: unknown,
): Data {
  const header = (field: string) => redact(headers.get(field) ?? "", key);
  const isAbsent = status === absentStatus;
  const isSuccess = status > 199 && status < 300 && !isAbsent;
  let fault = "";
  if (isSuccess && text !== undefined) {
    try {
      return decode(text);
    } catch (thrown) {
      // Not what a parser threw: it may quote the body (D-49).
      fault = thrown instanceof UnfitResponse ? thrown.message : "the body is not valid JSON";
      const type = quote(header("content-type"), 100);
      if (/^\s*</.test(text)) fault = `the body is markup${type && ` (${type})`}, not JSON`;
      else if (text && type && !/json|text\/plain/i.test(type)) fault += ` (${type})`;
    }
  }
  const details = {
    status,
    requestId: header("x-request-id") || header("request-id") || undefined,
    retryAfterMs: readRetryAfter(header("retry-after")),
  };
  if (status < 400 && !isAbsent) {
    const target = header("location");
    const origin = URL.canParse(target, url) ? new URL(target, url).origin : "?";
    const [code, told] = !isSuccess
      ? status === 304
        ? ["invalid_response", "304; leave out conditional headers"]
        : ["unexpected_redirect", `${status}, a redirect, is not followed (${origin}); check baseUrl`]
      : text === undefined
        ? [
            "response_too_large",
            `${status}, but the body exceeds maxResponseBytes (${maxResponseBytes.toLocaleString("en")}); check baseUrl, or allow more`,
          ]
        : ["invalid_response", `${status}, but ${fault}; check baseUrl`];
    throw new InvalidResponseError(told, { ...details, code });
  }
  const [Kind, remedy] = kinds[status] ?? (status < 500 ? refused : failed);
  // A body that is too large is `undefined`, which is no JSON.
  const problem = readProblem(`${text}`, key);
  throw new Kind(
    [status, ...said(problem, textsOf(body, id)), waitFor(details.retryAfterMs), remedy].filter(Boolean).join("; "),
    { ...details, problem },
  );
}

/** Title, detail and the names of wrong fields: values of fields are in `error.problem` alone (D-97). */
function said(problem: ReturnType<typeof readProblem>, sent: readonly string[]): string[] {
  const { title = "", detail = "", errors = {} } = problem ?? {};
  const fields = Object.keys(errors);
  const named = fields.slice(0, 10).map((field) => quote(field, 100));
  if (fields.length > 10) named.push(`${fields.length - 10} more`);
  return [quote(title, 100), quote(hide(sent, detail), 300), named.length ? `see ${named.join(", ")}` : ""];
}

const waitFor = (retryAfterMs: number | undefined): string =>
  retryAfterMs === undefined ? "" : `Retry-After asks to wait ${Math.ceil(retryAfterMs / 1000)} s`;
