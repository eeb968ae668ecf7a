import { InvalidResponseError } from "../errors/response-errors.ts";
import { unclaimed } from "../errors/unclaimed.ts";
import type { FetchResponse } from "../http/fetch-response.ts";
import type { Middleware } from "../http/middleware.ts";
import type { OffersRequest } from "../http/offers-request.ts";
import { readBody } from "../response/read-body.ts";
import { wrongFields } from "./wrong-fields.ts";

/**
 * Middleware that holds every offer to the contract as it arrives: one with a missing or wrong field rejects the call with an
 * {@link InvalidResponseError} that names the fields, never their values. Fields that the service adds pass, and words that no
 * document shows. Put it last, so that other middleware sees what it hands on.
 *
 * Without it, the client looks only whether every field is there and of its type; with it, also at times and empty ids.
 *
 * Strict to the contract, and opt-in for that (D-68).
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
  // The other operations answer with an id or nothing, and the client checks both.
  const isOffer = request.operation === "GetOffer" && status > 199 && status < 300;
  return isOffer ? { status, headers, text: () => readOffer(response, request) } : response;
};

/** Checked as it is read: a connection that breaks off is not this middleware's failure. */
async function readOffer(response: FetchResponse, request: OffersRequest): Promise<string> {
  const text = await readBody(response, request.maxResponseBytes);
  // As the client reads it of what it reads itself.
  if (text === undefined)
    throw Object.assign(new RangeError("The body is too large"), { code: "ERR_BUFFER_TOO_LARGE" });
  const fields = wrongFields(text);
  if (!fields.length) return text;
  const { status, headers } = response;
  const id = headers.get("x-request-id") ?? headers.get("request-id") ?? undefined;
  // Among them the API key, under a name that is not known here.
  const secrets = Object.values(request.headers);
  throw new InvalidResponseError(
    `${status}, but these fields are not as the contract has them: ${fields.join(", ")}; check baseUrl`,
    {
      code: "invalid_response",
      status,
      // A service that echoes the key as its request id keeps it to itself (D-49).
      requestId: secrets.some((secret) => id?.includes(secret)) ? undefined : id,
      [unclaimed]: true,
    },
  );
}
