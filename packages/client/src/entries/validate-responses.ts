import * as generated from "@offers/contract/offer-schemas";
import type * as z from "zod";
import { readBody } from "../call/read-body.ts";
import { InvalidResponseError } from "../errors/error-classes.ts";
import type { FetchResponse, Middleware, OffersRequest } from "../http.ts";
import type { Offer } from "../offer.ts";

/**
 * A schema for offers, for instance from a queue or a cache. Unknown fields are kept, and `response` and `confirmation` may be any string.
 * {@link validateResponses} validates the offers that the client reads.
 *
 * @example
 * ```ts
 * import type { Offer } from "@offers/client";
 * import { offerSchema } from "@offers/client/schemas";
 *
 * export const parseCachedOffer = (text: string): Offer => offerSchema.parse(JSON.parse(text));
 * ```
 */
export const offerSchema: z.ZodType<Offer> = generated.offerSchema;

/**
 * Creates middleware that validates every offer against the service's documentation. If a field is missing or invalid, the call rejects
 * with an {@link InvalidResponseError} that lists the first ten such fields, never their values. Additional fields and undocumented values
 * of `response` and `confirmation` are allowed. Put it last, so that other middleware sees the validated response.
 *
 * Without this middleware, the client fills in missing fields and converts values of other types if it can. With it, every field must be
 * present and valid, including times and ids. It is opt-in because it is strict.
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
  // The other operations return an id or nothing, which the client checks itself (D-68).
  const isOffer = request.operation === "GetOffer" && status > 199 && status < 300;
  return isOffer ? { status, headers, text: () => readValidOffer(response, request) } : response;
};

/**
 * Reads the body and validates the offer. Called when the client reads the body, so that a lost connection is not reported as
 * `middleware_failed`.
 */
async function readValidOffer(response: FetchResponse, request: OffersRequest): Promise<string> {
  const text = await readBody(response, request.maxResponseBytes);
  // The client reports this code as `response_too_large`.
  if (text === undefined)
    throw Object.assign(new RangeError("The body is too large"), { code: "ERR_BUFFER_TOO_LARGE" });
  const invalidFields = findInvalidFields(text);
  if (!invalidFields.length) return text;
  const { status, headers } = response;
  const requestId = headers.get("x-request-id") ?? headers.get("request-id") ?? undefined;
  // One of the values is the API key. Middleware does not know which, because it does not have the `apiKeyHeader` option.
  const secrets = Object.values(request.headers);
  // The client adds the operation, the host and the number of attempts.
  throw new InvalidResponseError(
    `${status}; these fields do not match the contract: ${invalidFields.join(", ")}; check baseUrl`,
    {
      code: "invalid_response",
      status,
      // A service may echo the key as its request id (D-49).
      requestId: secrets.some((secret) => requestId?.includes(secret)) ? undefined : requestId,
    },
  );
}

/** The maximum number of fields in a message. An offer can have thousands of recipients. */
const maxListedFields = 10;

/**
 * Returns the paths of the first ten invalid fields of an offer, such as `recipients[0].id`. Returns an empty array if the text is not a
 * JSON object, because the client rejects such a body itself.
 */
function findInvalidFields(text: string): string[] {
  let offer: unknown;
  try {
    offer = JSON.parse(text);
  } catch {
    return [];
  }
  const issues = offerSchema.safeParse(offer).error?.issues ?? [];
  const invalidFields = issues.map(({ path }) =>
    path.map((segment) => (typeof segment === "number" ? `[${segment}]` : `.${String(segment)}`)).join(""),
  );
  // A body that is not an object has an empty path. All other paths start with a dot.
  return [...new Set(invalidFields)]
    .filter(Boolean)
    .slice(0, maxListedFields)
    .map((field) => field.slice(1));
}
