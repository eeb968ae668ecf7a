import type { TestDelivery } from "./test-delivery.ts";
import type { WebhookOutcome } from "./webhook-outcome.ts";
import type { ReceiverProfile, WebhookListener, WebhookReceiver } from "./webhook-receiver.ts";

/** What a network or an attacker does with a request. */
export interface ResendOptions {
  /** The same request so many times at once. @default 1 */
  copies?: number | undefined;
  /** How long ago it was signed: a request that was held up, or recorded. @default 0 */
  agoMs?: number | undefined;
  /** Another secret than the profile's: a forged signature. @default the profile's */
  secret?: string | undefined;
}

/** What a hirer searches for. */
export interface SuggestionSearch {
  /** An empty one has no effect. */
  filter?: string | undefined;
  userEmailAddresses: readonly string[];
}

/**
 * A contact that the receiver suggests.
 *
 * @example
 * ```ts
 * import type { SuggestedContact } from "@offers/client/testing";
 *
 * export const names = (contacts: SuggestedContact[]): string[] => contacts.map(({ name }) => name);
 * ```
 */
export interface SuggestedContact {
  name: string;
  emailAddress: string;
  profileImageUrl?: string;
  ratings: {
    /** 1 to 5; 5 is best. */
    rating: number;
    /** Who gave the rating. */
    ratingProvider: string;
    /** Date-time in UTC. */
    lastWorked: string;
  }[];
}

/**
 * The webhooks of the organisation under test. They are sent when the test says so, on the service's clock: to your handler without a
 * port or a timer, to a server or a listener over a loopback port.
 */
export interface TestWebhooks {
  /**
   * The service's clock: `now` of your receiver, so that a webhook that is retried after a day is still fresh. It is `now` of the
   * options, and ahead of it by what `advance` was given.
   */
  readonly now: () => Date;
  /** Every delivery so far, the oldest first, as it is now. */
  readonly deliveries: readonly TestDelivery[];
  /**
   * Registers the receiver, as the company profile does: `GET /test` and `GET /test/auth` must both respond with 200. Without a
   * receiver no webhook is sent. Register again to enable an endpoint that is disabled, or to replace it: what waits is then due.
   *
   * @throws {Error} (rejects) `code` is `endpoint_check_failed`, and nothing is changed; `invalid_address`, `invalid_argument`
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { test } from "node:test";
   * import { OffersClient } from "@offers/client";
   * import { createTestService } from "@offers/client/testing";
   * import { webhookHandler } from "@offers/webhook-kit/fetch";
   * import { signHeaders } from "@offers/webhook-kit/testing";
   *
   * const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
   *
   * test("a worker who applies gets the work", async () => {
   *   const service = createTestService();
   *   const offers = new OffersClient(service);
   *   const handler = webhookHandler({
   *     secret,
   *     now: service.now,
   *     onWorkerOfferResponse: ({ offerId, workerId }) => offers.completeOffer(offerId, [workerId]),
   *   });
   *   await service.deliverTo(handler, { secret, sign: signHeaders });
   *
   *   const { id } = await offers.createOffer({ createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] });
   *   service.respond(id, "worker_amal", "applied");
   *   await service.deliver();
   *
   *   assert.equal(service.deliveries[0]?.state, "acknowledged");
   *   assert.equal((await offers.getOffer(id)).complete, true);
   * });
   * ```
   */
  deliverTo(receiver: WebhookReceiver, profile: ReceiverProfile): Promise<void>;
  /** A listener of `node:http` with its two parameters, such as an Express app, is started on a free loopback port. */
  deliverTo(receiver: WebhookListener, profile: ReceiverProfile): Promise<void>;
  /**
   * Makes every attempt that is due now, and waits for it: at most eight at once, of one worker and offer one after the other.
   *
   * @throws {Error} (rejects) what `sign` throws
   */
  deliver(): Promise<void>;
  /**
   * Moves the service's clock, and makes each attempt on the way at its time: retries after 5 s, 30 s, 2 min … (D-26). Call it
   * without awaiting `deliver()` to let time pass for attempts that are under way: after 15 s they time out.
   *
   * @throws {Error} (rejects) `code` is `invalid_argument`; what `sign` throws
   * @example
   * ```ts
   * import { createTestService } from "@offers/client/testing";
   * import { signHeaders } from "@offers/webhook-kit/testing";
   *
   * const service = createTestService();
   * let isDown = false;
   * const handler = async () => new Response(null, { status: 200 });
   * const profile = { secret: "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52", sign: signHeaders, isDown: () => isDown };
   * await service.deliverTo(handler, profile);
   *
   * isDown = true;
   * service.addContact("worker_amal");
   * await service.advance(3 * 86_400_000);
   * console.log(service.deliveries[0]?.state); // failed, after ten attempts
   * ```
   */
  advance(ms: number): Promise<void>;
  /**
   * A worker adds a contact at the organisation (D-42).
   *
   * @throws {Error} `code` is `worker_not_found`
   */
  addContact(workerId: string): void;
  /**
   * Redelivers a failed delivery under its id, or an acknowledged one under a new id (D-74). `deliver()` then sends it.
   *
   * @returns the id that is delivered now
   * @throws {Error} `code` is `delivery_not_found`, `delivery_pending`, or `delivery_superseded` after a later response
   */
  redeliver(deliveryId: string): string;
  /**
   * Sends the webhook of a delivery once more, whatever its state, and changes nothing in `deliveries`: a request that a network
   * duplicates or holds up, or that an attacker forges.
   *
   * @returns what came of each copy
   * @throws {Error} (rejects) `code` is `delivery_not_found`, `no_receiver`, `invalid_argument`
   * @example
   * ```ts
   * import type { TestService } from "@offers/client/testing";
   *
   * export async function attack(service: TestService, deliveryId: string): Promise<void> {
   *   const twice = await service.resend(deliveryId, { copies: 2 });
   *   const [late] = await service.resend(deliveryId, { agoMs: 600_000 });
   *   const [forged] = await service.resend(deliveryId, { secret: "not the secret of the profile" });
   *   console.log(twice.length, late?.status, forged?.status); // 2 401 401
   * }
   * ```
   */
  resend(deliveryId: string, options?: ResendOptions): Promise<WebhookOutcome[]>;
  /**
   * A hirer searches for contacts: the receiver's list, if the service accepts it.
   *
   * @throws {Error} (rejects) `code` is `unexpected_status`, `malformed_json`, `response_too_large` or `invalid_suggestions` (D-21),
   *   or why no response came; `no_receiver`
   */
  suggestContacts(search: SuggestionSearch): Promise<SuggestedContact[]>;
}
