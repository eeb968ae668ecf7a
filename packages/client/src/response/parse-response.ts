import type { OffersErrorDetails } from "../errors/offers-error.ts";
import { quote } from "../errors/quote.ts";
import { redact } from "../errors/redact.ts";
import { InvalidResponseError } from "../errors/response-errors.ts";
import { unannotated } from "../errors/unannotated.ts";
import type { OffersRequest } from "../http/offers-request.ts";
import { InvalidBodyError } from "../operations/invalid-body-error.ts";
import type { Operation } from "../operations/operation.ts";
import { readRetryAfter } from "./read-retry-after.ts";
import type { ReceivedResponse } from "./received-response.ts";
import { toStatusError } from "./status-error.ts";

/** The typed data of a successful response. Throws the error of any other. */
export function parseResponse<Data>(
  { absentStatus, decode }: Operation<never, Data>,
  { response: { status, headers }, text }: ReceivedResponse,
  { url, body, maxResponseBytes }: Pick<OffersRequest, "url" | "body" | "maxResponseBytes">,
  key: string,
  id?: unknown,
): Data {
  const header = (name: string) => redact(headers.get(name) ?? "", key);
  const isAbsent = status === absentStatus;
  const isSuccess = status > 199 && status < 300 && !isAbsent;
  let problem = "";
  if (isSuccess && text !== undefined) {
    try {
      return decode(text);
    } catch (thrown) {
      problem = describeBody(thrown, text, quote(header("content-type"), 100));
    }
  }
  const details = {
    status,
    requestId: header("x-request-id") || header("request-id") || undefined,
    retryAfterMs: readRetryAfter(header("retry-after")),
    [unannotated]: true,
  } satisfies OffersErrorDetails;
  if (status >= 400 || isAbsent) throw toStatusError(details, text, body, id, key);
  let code: InvalidResponseError["code"] = "invalid_response";
  let message = `, but ${problem}; check baseUrl`;
  if (status === 304) message = "; leave out conditional headers";
  else if (!isSuccess) {
    const target = header("location");
    const origin = URL.canParse(target, url) ? new URL(target, url).origin : "?";
    code = "unexpected_redirect";
    message = `; redirects are not followed (${origin}); check baseUrl`;
  } else if (text === undefined) {
    const limit = maxResponseBytes.toLocaleString("en");
    code = "response_too_large";
    message = `, but the body exceeds maxResponseBytes (${limit}); check baseUrl, or allow more`;
  }
  throw new InvalidResponseError(status + message, { ...details, code });
}

/** Why a body could not be decoded. A parser's own message is not shown: it may quote the body (D-49). */
function describeBody(thrown: unknown, text: string, type: string): string {
  if (/^\s*</.test(text)) return `the body is markup${type && ` (${type})`}, not JSON`;
  const problem = thrown instanceof InvalidBodyError ? thrown.message : "the body is not valid JSON";
  return text && type && !/json|text\/plain/i.test(type) ? `${problem} (${type})` : problem;
}
