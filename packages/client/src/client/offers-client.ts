import { createTransport, type Transport } from "../call/create-transport.ts";
import type { Offer, Recipient } from "../contract/offer.ts";
import type { OfferInput } from "../contract/offer-input.ts";
import { completeOffer } from "../operations/complete-offer.ts";
import { createOffer } from "../operations/create-offer.ts";
import { getOffer } from "../operations/get-offer.ts";
import { withdrawOffer } from "../operations/withdraw-offer.ts";
import type { ApiKey, CallOptions, OffersClientOptions } from "../options/options.ts";
import { type OffersPromise, toOffersPromise } from "./offers-promise.ts";
import { watchOffer } from "./watch-offer.ts";

/**
 * Speaks to the service for one organisation. Make one and keep it; it holds no connection and needs no closing. Every
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
  readonly #transport: Transport;

  /** @throws {UsageError} for an option that cannot be right; the message says what to change */
  constructor(options: OffersClientOptions) {
    this.#transport = createTransport(options);
    this.#options = { ...options };
  }

  /**
   * Creates an offer of work; every worker in `workerIds` is sent a push notification (interface.md, CreateOffer). Not
   * repeated unless the request provably never left, or the service honours `Idempotency-Key` (D-40).
   *
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
  createOffer(input: OfferInput, options?: CallOptions): OffersPromise<{ id: string }> {
    return toOffersPromise(this.#transport(createOffer, undefined, input, options, new Error()));
  }

  /**
   * Reads an offer with the current response of each recipient (interface.md, GetOffer). An offer that does not exist, or
   * that the organisation may not see, is a {@link NotFoundError} (D-20).
   *
   * @example
   * ```ts
   * import { OffersClient } from "@offers/client";
   *
   * const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: process.env.OFFERS_API_KEY ?? "" });
   * const { recipients } = await offers.getOffer("offer_4f1c2a");
   * console.log(recipients.filter(({ response }) => response === "applied"));
   * ```
   */
  getOffer(id: string, options?: CallOptions): OffersPromise<Offer> {
    return toOffersPromise(this.#transport(getOffer, id, undefined, options, new Error()));
  }

  /**
   * Names the workers who get the work; all workers are told whether they were successful (interface.md, CompleteOffer).
   * Each must have applied; an offer can be completed once (D-11). Repeated as sparingly as a creation (D-40).
   *
   * The live service may answer an id that it does not know, or that the organisation may not see, with 204 as it answers
   * a success (D-20): that this resolves does not prove that there is such an offer. A read tells.
   *
   * @example
   * ```ts
   * import { OffersClient } from "@offers/client";
   *
   * const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: process.env.OFFERS_API_KEY ?? "" });
   * await offers.completeOffer("offer_4f1c2a", ["worker_amal"]);
   * ```
   */
  completeOffer(id: string, workerIds: readonly string[], options?: CallOptions): OffersPromise<void> {
    return toOffersPromise(this.#transport(completeOffer, id, workerIds, options, new Error()));
  }

  /**
   * Withdraws an offer; every worker addressed at creation is told (interface.md, WithdrawOffer). Withdrawing again is no
   * error, so it is repeated like a read (D-10, D-50).
   *
   * The live service may answer an id that it does not know, or that the organisation may not see, with 204 as it answers
   * a success (D-20): that this resolves does not prove that there is such an offer. A read tells.
   *
   * @example
   * ```ts
   * import { OffersClient } from "@offers/client";
   *
   * const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: process.env.OFFERS_API_KEY ?? "" });
   * const result = await offers.withdrawOffer("offer_4f1c2a").safe();
   * if (!result.ok) console.error(result.error.code);
   * ```
   */
  withdrawOffer(id: string, options?: CallOptions): OffersPromise<void> {
    return toOffersPromise(this.#transport(withdrawOffer, id, undefined, options, new Error()));
  }

  /**
   * Follows an offer: gives every recipient as they stand, then each that has changed, and ends when the offer is complete
   * or withdrawn. It reads every `pollIntervalMs` (10_000 by default), give or take a fifth; a change that is undone between two
   * reads is not seen. Each read is a call of its own, repeated as any other; what it rejects with ends the iteration, and
   * so does an abort of `signal`, with an {@link AbortedError}.
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
    return watchOffer((each) => this.getOffer(id, each), options, new Error());
  }

  /**
   * A client like this one that speaks for another organisation, as an agency does.
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
    // A subclass stays one, and a bundler that renames a class that names itself has none to rename.
    return new (this.constructor as typeof OffersClient)({ ...this.#options, apiKey });
  }
}
