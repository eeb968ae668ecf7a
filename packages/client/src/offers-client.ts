import { startCall } from "./call/call.ts";
import type { OffersPromise } from "./call/offers-promise.ts";
import { completeOffer, createOffer, getOffer, withdrawOffer } from "./call/operations.ts";
import { watchOffer } from "./call/watch-offer.ts";
import type { OperationError } from "./errors/error-classes.ts";
import { throwUsageError } from "./errors/usage.ts";
import type { Offer, OfferInput, Recipient } from "./offer.ts";
import type { ApiKey, CallOptions, OffersClientOptions } from "./options/options.ts";
import { type ClientSettings, readSettings } from "./options/settings.ts";

/**
 * A client that calls the service for one organisation. Create it once and reuse it; there is nothing to close. Every method rejects only
 * with an {@link OffersError}.
 *
 * @example
 * ```ts
 * import { OffersClient } from "@offers/client";
 *
 * const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: process.env.OFFERS_API_KEY ?? "" });
 * const offer = await offers.getOffer("offer_4f1c2a");
 * console.log(offer.recipients.map(({ name, response }) => `${name}: ${response}`));
 * ```
 */
export class OffersClient {
  readonly #options: OffersClientOptions;
  readonly #settings: ClientSettings;

  /** Returns a client's settings. Throws if `client` is not one, as in a method that is called without its client. */
  static #settingsOf(client: OffersClient): ClientSettings {
    if (#settings in Object(client)) return client.#settings;
    return throwUsageError("call this as a method of the client, such as offers.getOffer(id)", "invalid_argument");
  }

  /**
   * Checks the options and creates the client, without sending a request.
   *
   * @throws {UsageError} for an invalid option; the message says what to change
   */
  constructor(options: OffersClientOptions) {
    this.#settings = readSettings(options);
    this.#options = { ...options };
  }

  /**
   * Creates an offer of work and resolves with its id. The service sends a push notification to every worker in `workerIds`. The call is
   * retried only if the request was never sent, or if `serviceHonoursIdempotencyKey` is set.
   *
   * @throws {@link BadRequestError} `bad_request`
   * @throws {@link AuthenticationError} `unauthenticated`, `api_key_provider_failed`
   * @throws {@link PermissionError} `forbidden`
   * @throws {@link NotFoundError} `not_found`
   * @throws {@link RateLimitError} `rate_limited`
   * @throws {@link ServerError} `server_error`
   * @throws {@link InvalidResponseError} `invalid_response`, `response_too_large`, `unexpected_redirect`
   * @throws {@link ConnectionError} `connect_failed`, `connection_lost`, `tls_failed`, `port_blocked`
   * @throws {@link TimeoutError} `timeout`
   * @throws {@link AbortedError} `aborted`
   * @throws {@link UsageError} `invalid_time`, `invalid_argument`, `invalid_option`, `invalid_api_key`,
   * `middleware_failed`
   * @example
   * ```ts
   * import { OffersClient } from "@offers/client";
   *
   * const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: process.env.OFFERS_API_KEY ?? "" });
   * const { id } = await offers.createOffer({
   *   createdByUserId: "user_hana",
   *   title: "Kitchen help on Friday",
   *   workerIds: ["worker_amal", "worker_ben"],
   *   events: [{ start: "2099-05-01T18:00:00+02:00", end: "2099-05-02T00:00:00+02:00" }],
   * });
   * console.log(id);
   * ```
   */
  createOffer(
    input: OfferInput,
    options?: CallOptions,
  ): OffersPromise<
    {
      /** The new offer's id. */
      id: string;
    },
    OperationError<"CreateOffer">
  > {
    return startCall(OffersClient.#settingsOf(this), createOffer, undefined, input, options);
  }

  /**
   * Reads an offer with the current response of each recipient. Rejects with a {@link NotFoundError} if the offer does not exist or your
   * organisation may not see it.
   *
   * @throws {@link BadRequestError} `bad_request`
   * @throws {@link AuthenticationError} `unauthenticated`, `api_key_provider_failed`
   * @throws {@link PermissionError} `forbidden`
   * @throws {@link NotFoundError} `not_found`
   * @throws {@link RateLimitError} `rate_limited`
   * @throws {@link ServerError} `server_error`
   * @throws {@link InvalidResponseError} `invalid_response`, `response_too_large`, `unexpected_redirect`
   * @throws {@link ConnectionError} `connect_failed`, `connection_lost`, `tls_failed`, `port_blocked`
   * @throws {@link TimeoutError} `timeout`
   * @throws {@link AbortedError} `aborted`
   * @throws {@link UsageError} `invalid_id`, `invalid_argument`, `invalid_option`, `invalid_api_key`,
   * `middleware_failed`
   * @example
   * ```ts
   * import { OffersClient } from "@offers/client";
   *
   * const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: process.env.OFFERS_API_KEY ?? "" });
   * const { recipients } = await offers.getOffer("offer_4f1c2a");
   * console.log(recipients.filter(({ response }) => response === "applied"));
   * ```
   */
  getOffer(id: string, options?: CallOptions): OffersPromise<Offer, OperationError<"GetOffer">> {
    return startCall(OffersClient.#settingsOf(this), getOffer, id, undefined, options);
  }

  /**
   * Completes an offer by choosing the workers who get the work. Each of them must have applied, and an offer can be completed only once.
   * The service tells every worker on the offer whether they got the work. The call is retried like `createOffer`.
   *
   * The live service may respond with 204, as if the call had succeeded, if the offer does not exist or your organisation may not see it.
   * A resolved call therefore does not prove that the offer exists; read the offer to find out.
   *
   * @throws {@link BadRequestError} `bad_request`
   * @throws {@link AuthenticationError} `unauthenticated`, `api_key_provider_failed`
   * @throws {@link PermissionError} `forbidden`
   * @throws {@link NotFoundError} `not_found`
   * @throws {@link ConflictError} `conflict`
   * @throws {@link RateLimitError} `rate_limited`
   * @throws {@link ServerError} `server_error`
   * @throws {@link InvalidResponseError} `invalid_response`, `response_too_large`, `unexpected_redirect`
   * @throws {@link ConnectionError} `connect_failed`, `connection_lost`, `tls_failed`, `port_blocked`
   * @throws {@link TimeoutError} `timeout`
   * @throws {@link AbortedError} `aborted`
   * @throws {@link UsageError} `invalid_id`, `invalid_argument`, `invalid_option`, `invalid_api_key`,
   * `middleware_failed`
   * @example
   * ```ts
   * import { OffersClient } from "@offers/client";
   *
   * const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: process.env.OFFERS_API_KEY ?? "" });
   * await offers.completeOffer("offer_4f1c2a", ["worker_amal"]);
   * ```
   */
  completeOffer(
    id: string,
    workerIds: readonly string[],
    options?: CallOptions,
  ): OffersPromise<void, OperationError<"CompleteOffer">> {
    return startCall(OffersClient.#settingsOf(this), completeOffer, id, workerIds, options);
  }

  /**
   * Withdraws an offer, in any state. The service notifies every worker who was sent the offer. Withdrawing twice is not an error, so a
   * withdrawal is retried like a read.
   *
   * The live service may respond with 204, as if the call had succeeded, if the offer does not exist or your organisation may not see it.
   * A resolved call therefore does not prove that the offer exists; read the offer to find out.
   *
   * @throws {@link BadRequestError} `bad_request`
   * @throws {@link AuthenticationError} `unauthenticated`, `api_key_provider_failed`
   * @throws {@link PermissionError} `forbidden`
   * @throws {@link NotFoundError} `not_found`
   * @throws {@link RateLimitError} `rate_limited`
   * @throws {@link ServerError} `server_error`
   * @throws {@link InvalidResponseError} `invalid_response`, `response_too_large`, `unexpected_redirect`
   * @throws {@link ConnectionError} `connect_failed`, `connection_lost`, `tls_failed`, `port_blocked`
   * @throws {@link TimeoutError} `timeout`
   * @throws {@link AbortedError} `aborted`
   * @throws {@link UsageError} `invalid_id`, `invalid_argument`, `invalid_option`, `invalid_api_key`,
   * `middleware_failed`
   * @example
   * ```ts
   * import { OffersClient } from "@offers/client";
   *
   * const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: process.env.OFFERS_API_KEY ?? "" });
   * const result = await offers.withdrawOffer("offer_4f1c2a").safe();
   * if (!result.ok) console.error(result.error.code);
   * ```
   */
  withdrawOffer(id: string, options?: CallOptions): OffersPromise<void, OperationError<"WithdrawOffer">> {
    return startCall(OffersClient.#settingsOf(this), withdrawOffer, id, undefined, options);
  }

  /**
   * Polls an offer until it is complete or withdrawn. Yields every recipient once, then each recipient that has changed. A change that is
   * undone between two reads goes unnoticed. Each read is a separate call with its own retries. If a read rejects, the iteration ends with
   * the same error. Aborting `signal` ends the iteration with an {@link AbortedError}.
   *
   * @example
   * ```ts
   * import { OffersClient } from "@offers/client";
   *
   * const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: process.env.OFFERS_API_KEY ?? "" });
   * for await (const { name, response } of offers.watchOffer("offer_4f1c2a")) console.log(`${name}: ${response}`);
   * ```
   */
  watchOffer(
    id: string,
    options?: CallOptions & {
      /** The time between reads, with 20 % jitter. @default 10_000 */ pollIntervalMs?: number | undefined;
    },
  ): AsyncIterable<Recipient> {
    return watchOffer((callOptions) => this.getOffer(id, callOptions), OffersClient.#settingsOf(this).call, options);
  }

  /**
   * What would send the next request: `node:http`, or `fetch`. With `fetch`, a creation may use a connection that was dropped while idle
   * (see `connection_lost`).
   */
  get transport(): "node:http" | "fetch" {
    return this.#settings.transport.name;
  }

  /**
   * Creates a client with the same options and a different API key, for an agency that acts for several organisations.
   *
   * @throws {UsageError} `invalid_api_key` for a key that cannot be sent in a header
   * @example
   * ```ts
   * import { OffersClient } from "@offers/client";
   *
   * const agency = new OffersClient({ baseUrl: "https://service.example", apiKey: process.env.AGENCY_KEY ?? "" });
   * const harbour = agency.withApiKey(process.env.HARBOUR_KEY ?? "");
   * await harbour.withdrawOffer("offer_4f1c2a");
   * ```
   */
  withApiKey(apiKey: ApiKey): OffersClient {
    // `this.constructor`, so that a subclass creates an instance of the subclass.
    return new (this.constructor as typeof OffersClient)({ ...this.#options, apiKey });
  }
}
