import { InvalidResponseError } from "../errors/response-errors.ts";
import { unannotated } from "../errors/unannotated.ts";
import type { FetchResponse } from "../http/fetch-response.ts";
import type { Middleware } from "../http/middleware.ts";
import type { OffersRequest } from "../http/offers-request.ts";
import { readBody } from "../response/read-body.ts";
import { wrongFields } from "./wrong-fields.ts";

/**
 * Middleware that validates every offer against the contract. An offer with a missing or invalid field rejects the call with an
 * {@link InvalidResponseError} that names the fields, never their values. Additional fields and undocumented values of
 * `response` and `confirmation` are allowed. Put it last, so that other middleware sees the validated response.
 *
 * Without it, the client checks only that every field is present and of its type; with it, also times and empty ids. It is
 * opt-in because it is strict (D-68).
 *
 * @example
 * ```ts
 * import { OffersClient } from "@offers/client";
 * import { validateResponses } from "@offers/client/schemas";
 *
 * const offers = new OffersClient({
 *   baseUrl: "https://service.example",
 *   apiKey: process.env.OFFERS_API_KEY ?? "",
 *   middleware: [validateResponses()],
 * });
 * const result = await offers.getOffer("offer_4f1c2a").safe();
 * if (!result.ok && result.error.code === "invalid_response") console.error(result.error.message);
 * ```
 */
export const validateResponses = (): Middleware => async (request, next) => {
  const response = await next(request);
  const { status, headers } = response;
  // The other operations return an id or nothing, which the client checks.
  const isOffer = request.operation === "GetOffer" && status > 199 && status < 300;
  return isOffer ? { status, headers, text: () => readOffer(response, request) } : response;
};

/** Validates when the client reads the body, so that a lost connection is not reported as `middleware_failed`. */
async function readOffer(response: FetchResponse, request: OffersRequest): Promise<string> {
  const text = await readBody(response, request.maxResponseBytes);
  // The client reports this code as `response_too_large`.
  if (text === undefined)
    throw Object.assign(new RangeError("The body is too large"), { code: "ERR_BUFFER_TOO_LARGE" });
  const fields = wrongFields(text);
  if (!fields.length) return text;
  const { status, headers } = response;
  const id = headers.get("x-request-id") ?? headers.get("request-id") ?? undefined;
  // One of them is the API key; the name of its header is an option.
  const secrets = Object.values(request.headers);
  throw new InvalidResponseError(
    `${status}, but these fields do not match the contract: ${fields.join(", ")}; check baseUrl`,
    {
      code: "invalid_response",
      status,
      // A service may echo the key as its request id (D-49).
      requestId: secrets.some((secret) => id?.includes(secret)) ? undefined : id,
      [unannotated]: true,
    },
  );
}
