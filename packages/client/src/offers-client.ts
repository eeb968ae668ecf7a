import { startCall } from "./call/call.ts";
import type { OffersPromise } from "./call/offers-promise.ts";
import { completeOffer, createOffer, getOffer, withdrawOffer } from "./call/operations.ts";
import { watchOffer } from "./call/watch-offer.ts";
import type { OperationError } from "./errors/error-classes.ts";
import type { Offer, OfferInput, Recipient } from "./offer.ts";
import type { ApiKey, CallOptions, OffersClientOptions } from "./options/options.ts";
import { type ClientSettings, readSettings } from "./options/settings.ts";

/**
 * A client of the service for one organisation. Create one and keep it; it holds no connection and needs no closing. Every
 * method rejects with an {@link OffersError} only.
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

  /** @throws {UsageError} for an invalid option; the message says what to change */
  constructor(options: OffersClientOptions) {
    this.#settings = readSettings(options);
    this.#options = { ...options };
  }

  /**
   * Creates an offer of work; every worker in `workerIds` is sent a push notification (interface.md, CreateOffer). Retried
   * only if the request was never sent, or if the service honours `Idempotency-Key` (D-40).
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
  createOffer(input: OfferInput, options?: CallOptions): OffersPromise<{ id: string }, OperationError<"CreateOffer">> {
    return startCall(this.#settings, createOffer, undefined, input, options);
  }

  /**
   * Reads an offer with the current response of each recipient (interface.md, GetOffer). An offer that does not exist, or
   * that the organisation may not see, is a {@link NotFoundError} (D-20).
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
    return startCall(this.#settings, getOffer, id, undefined, options);
  }

  /**
   * Names the workers who get the work. The service notifies every worker of success or failure (interface.md,
   * CompleteOffer). Each named worker must have applied; an offer can be completed once (D-11). Retried like a creation (D-40).
   *
   * The live service may respond with 204, as for a success, to an id that it does not know or that the organisation may not
   * see (D-20). A resolved call therefore does not prove that the offer exists; read the offer to find out.
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
    return startCall(this.#settings, completeOffer, id, workerIds, options);
  }

  /**
   * Withdraws an offer; the service notifies every worker addressed at creation (interface.md, WithdrawOffer). Withdrawing
   * twice is not an error, so a withdrawal is retried like a read (D-10, D-50).
   *
   * The live service may respond with 204, as for a success, to an id that it does not know or that the organisation may not
   * see (D-20). A resolved call therefore does not prove that the offer exists; read the offer to find out.
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
    return startCall(this.#settings, withdrawOffer, id, undefined, options);
  }

  /**
   * Polls an offer: yields every recipient once, then each recipient whose response changes, until the offer is complete or
   * withdrawn. The interval is `pollIntervalMs` (10_000 by default) with 20 % jitter; a change that is undone between two
   * reads is not seen. Each read is a call of its own, with its own retries. An error of a read
   * ends the iteration, and so does an abort of `signal`, with an {@link AbortedError}.
   *
   * @example
   * ```ts
   * import { OffersClient } from "@offers/client";
   *
   * const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: process.env.OFFERS_API_KEY ?? "" });
   * for await (const { name, response } of offers.watchOffer("offer_4f1c2a")) console.log(`${name}: ${response}`);
   * ```
   */
  watchOffer(id: string, options?: CallOptions & { pollIntervalMs?: number | undefined }): AsyncIterable<Recipient> {
    return watchOffer((each) => this.getOffer(id, each), this.#settings.call, options);
  }

  /**
   * A client with the same options and another key: an agency acts for each of its organisations with one.
   *
   * @throws {UsageError} `invalid_api_key` for a key that cannot be one
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
    // `this.constructor` keeps a subclass, and survives bundlers that rename classes.
    return new (this.constructor as typeof OffersClient)({ ...this.#options, apiKey });
  }
}
