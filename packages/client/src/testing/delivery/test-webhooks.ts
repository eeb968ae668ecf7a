import type { TestDelivery } from "./test-delivery.ts";
import type { WebhookOutcome } from "./webhook-outcome.ts";
import type { ReceiverProfile, WebhookListener, WebhookReceiver } from "./webhook-receiver.ts";

/** How to change a request, as a network or an attacker might. */
export interface ResendOptions {
  /** How many copies of the request to send concurrently. @default 1 */
  copies?: number | undefined;
  /** How many milliseconds ago the request was signed, for a request that was delayed or recorded. @default 0 */
  agoMs?: number | undefined;
  /** The secret to sign with, for a forged signature. @default the secret in the profile */
  secret?: string | undefined;
}

/** A hirer's search for contacts. */
export interface SuggestionSearch {
  /** The search string. Contacts are not filtered if it is empty. */
  filter?: string | undefined;
  /** The email addresses of the users who search. */
  userEmailAddresses: readonly string[];
}

/**
 * A contact that the receiver suggests.
 *
 * @example
 * ```ts
 * import type { SuggestedContact } from "@offers/client/testing";
 *
 * export const contactNames = (contacts: SuggestedContact[]): string[] => contacts.map(({ name }) => name);
 * ```
 */
export interface SuggestedContact {
  /** The contact's name. */
  name: string;
  /** The contact's email address. */
  emailAddress: string;
  /** The URL of a picture of the contact. */
  profileImageUrl?: string;
  /** How others rated the contact. */
  ratings: {
    /** From 1 to 5; 5 is best. */
    rating: number;
    /** Who gave the rating. */
    ratingProvider: string;
    /** When the contact last worked there: a date-time in UTC. */
    lastWorked: string;
  }[];
}

/**
 * The webhooks of the organisation under test. The test decides when they are sent, on the service's clock. A handler receives them without
 * a port or a timer; a server or a listener receives them through a loopback port.
 */
export interface TestWebhooks {
  /**
   * The service's clock. Pass it as `now` to your receiver, so that it accepts the timestamps of webhooks that are sent after `advance`. It
   * starts at the time of the `now` option, and `advance` moves it.
   */
  readonly now: () => Date;
  /** Every delivery so far, oldest first, in its current state. */
  readonly deliveries: readonly TestDelivery[];
  /**
   * Registers the receiver as the company profile does: `GET /test` and `GET /test/auth` must both respond with 200. Without a
   * receiver no webhook is sent. Call it again to enable a disabled endpoint or to replace it; held deliveries are then due.
   *
   * @throws {Error} (rejects) `code` is `endpoint_check_failed`, `invalid_address` or `invalid_argument`; nothing changes then
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
  /** Starts a `node:http` listener with two parameters, such as an Express app, on a free loopback port, and registers it. */
  deliverTo(receiver: WebhookListener, profile: ReceiverProfile): Promise<void>;
  /**
   * Makes every attempt that is due now and waits for it. At most eight run concurrently; attempts for the same worker and offer run in
   * order.
   *
   * @throws {Error} (rejects) whatever `sign` throws
   */
  deliver(): Promise<void>;
  /**
   * Moves the service's clock, and makes each attempt when it is due: retries follow after 5 s, 30 s, 2 min … To let attempts in progress
   * time out after 15 s, call `deliver()` without awaiting it, then `advance`.
   *
   * @throws {Error} (rejects) `code` is `invalid_argument`; also whatever `sign` throws
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
   * Simulates that a worker adds a contact at the organisation.
   *
   * @throws {Error} `code` is `worker_not_found`
   */
  addContact(workerId: string): void;
  /**
   * Redelivers a failed delivery with its id, or an acknowledged one with a new id. `deliver()` then sends it.
   *
   * @returns the id of the delivery
   * @throws {Error} `code` is `delivery_not_found`, `delivery_pending`, or, after a later response or redelivery,
   *   `delivery_superseded`
   */
  redeliver(deliveryId: string): string;
  /**
   * Sends the webhook of a delivery in any state again, without changing `deliveries`. This simulates a network that duplicates or delays
   * a request, or an attacker who forges one.
   *
   * @returns the outcome of each copy
   * @throws {Error} (rejects) `code` is `delivery_not_found`, `no_receiver` or `invalid_argument`
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
   * Simulates a hirer's search for contacts, and returns the receiver's list if the service accepts it.
   *
   * @throws {Error} (rejects) `code` is `no_receiver`, `unexpected_status`, `malformed_json`, `response_too_large`,
   *   `invalid_suggestions`, or the reason why there was no response
   */
  suggestContacts(search: SuggestionSearch): Promise<SuggestedContact[]>;
}
