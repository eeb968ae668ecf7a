import { defaultBreakerPolicy, endpointCapacity } from "@offers/contract/circuit-breaker";
import { claimRows } from "../../examples/platform/src/outbox/claim.ts";
import type { Leased } from "../../examples/platform/src/outbox/dispatcher.ts";
import { endLeases, type Leases, openLeases } from "../../examples/platform/src/outbox/leases.ts";
import type { Store, Trx } from "../../examples/platform/src/store/store.ts";
import {
  type Attempt,
  loadDeliveries,
  type PendingDelivery,
} from "../../examples/platform/src/webhooks/attempt-delivery.ts";
import { recordEvent } from "../../examples/platform/src/webhooks/record-event.ts";
import { restartSchedules } from "../../examples/platform/src/webhooks/redeliver.ts";
import { settleAttempts } from "../../examples/platform/src/webhooks/settle-attempts.ts";
import { createWebhookQueue } from "../../examples/platform/src/webhooks/start-delivery.ts";
import type { Fixture } from "./fixture.ts";

export const organisationId = "organisation-1";

/** Records a worker's response to an offer. One worker's responses are delivered in order. @returns the event id */
export const recordResponse = (store: Store, workerId: string): Promise<string> =>
  store.transaction((trx) => recordResponseIn(trx, organisationId, workerId));

export async function recordResponseIn(trx: Trx, organisationId: string, workerId: string): Promise<string> {
  const data = { offerId: "offer-1", workerId, response: "accepted" };
  const { eventId } = await recordEvent(trx, organisationId, { type: "workerOfferResponse", data });
  return eventId;
}

/** `retry`: the attempt failed, and the next attempt is due in 15 minutes. `dead`: the last attempt failed. */
export type Result = "acknowledged" | "retry" | "dead";
export const results = ["acknowledged", "retry", "dead"] as const;

/** Checks that concurrent processes never break the contract's guarantees for deliveries. */
export class Deliveries {
  /** The limit of concurrent attempts at the endpoint. */
  capacity = endpointCapacity;
  readonly #fixture: Fixture;
  readonly #inFlight = new Map<number, PendingDelivery>();

  constructor(fixture: Fixture) {
    this.#fixture = fixture;
  }

  async openProcess(): Promise<DeliveryProcess> {
    const store = this.#fixture.takeStore();
    return new DeliveryProcess(store, await openLeases(store, { leaseSeconds: 3_600, onError: () => undefined }), this);
  }

  /** Records that an attempt is in flight, and checks the order and the limit. */
  startAttempt(delivery: PendingDelivery): void {
    const { violations } = this.#fixture.interleaving;
    for (const { id, organisation_id, order_key } of this.#inFlight.values()) {
      if (id === delivery.id) violations.push("double: a delivery has two attempts in flight");
      else if (organisation_id === delivery.organisation_id && order_key === delivery.order_key)
        violations.push("order: two deliveries with the same key are in flight");
    }
    this.#inFlight.set(delivery.sequence, delivery);
    const { length: count } = [...this.#inFlight.values()].filter(
      ({ organisation_id }) => organisation_id === delivery.organisation_id,
    );
    if (count > this.capacity) violations.push(`capacity: ${count} attempts in flight`);
  }

  /** Records that an attempt is no longer in flight. @param result undefined if its process lost its lease */
  endAttempt({ sequence }: PendingDelivery, result?: Result): void {
    this.#inFlight.delete(sequence);
    if (result === "acknowledged") this.capacity = endpointCapacity;
  }

  /** Delivers all pending deliveries, and checks the contract. */
  async deliverAndCheckAll(organisations: readonly string[] = [organisationId]): Promise<void> {
    const fixture = this.#fixture;
    await fixture.expectNoRows(
      `order: a delivery is due before an older one of its key`,
      `select from deliveries as older join deliveries as later using (organisation_id, order_key)
       where older.state = 'pending' and later.due_at is not null and older.sequence < later.sequence`,
    );
    await fixture.expectNoRows(
      `stuck: no delivery of a key is ever due`,
      "select from deliveries where state = 'pending' group by organisation_id, order_key having count(due_at) = 0",
    );
    const process = await this.openProcess();
    // The processes of the scenario no longer run, so release their leases before they expire.
    await process.leases.releaseExpired({ includeLive: true });
    await process.deliverAll();
    await fixture.expectNoRows(
      "stuck: a delivery is due but its lane was not woken",
      "select from deliveries where due_at <= now()",
    );
    for (const id of organisations) await restartSchedules(process.store, id);
    await process.deliverAll();
    await fixture.expectNoRows("stuck: a delivery stays pending", "select from deliveries where state = 'pending'");
    await fixture.expectNoRows(
      "twice: a delivery was acknowledged twice",
      "select from attempts where error is null group by delivery_id having count(*) > 1",
    );
    await fixture.expectNoRows(
      "order: an older response was redelivered after a newer one",
      `select from deliveries as repeated join deliveries as original on original.id = repeated.redelivery_of
       join deliveries as later on later.organisation_id = repeated.organisation_id and later.order_key = repeated.order_key
       where later.redelivery_of is null and later.sequence > original.sequence and later.sequence < repeated.sequence`,
    );
  }
}

const now = (): Date => new Date();

/** A platform process that handles deliveries, step by step. */
export class DeliveryProcess {
  readonly store: Store;
  readonly leases: Leases;
  readonly #deliveries: Deliveries;

  constructor(store: Store, leases: Leases, deliveries: Deliveries) {
    this.store = store;
    this.leases = leases;
    this.#deliveries = deliveries;
  }

  /** Claims deliveries that are due. @returns undefined if no lane was woken */
  async claim(limit: number): Promise<Leased<PendingDelivery>[] | undefined> {
    const leased = await claimRows(this.store, this.leases, createWebhookQueue(now), limit);
    if (leased === undefined) return undefined;
    const rows = leased.length === 0 ? new Map() : await loadDeliveries(this.store, leased, now());
    const claimed = leased.flatMap((lease) => {
      const row = rows.get(lease.rowId);
      return row === undefined ? [] : [{ lease, row }];
    });
    for (const { row } of claimed) this.#deliveries.startAttempt(row);
    return claimed;
  }

  /** Stores this result for every claimed delivery. */
  async settle(claimed: readonly Leased<PendingDelivery>[], result: Result): Promise<void> {
    if (claimed.length === 0) return;
    const context = {
      // Returns the path unchanged.
      linkTo: String,
      retrySchedule: { delaysMs: result === "retry" ? [900_000, 900_000, 900_000] : [], jitter: 0, maxRetryAfterMs: 0 },
      breaker: { ...defaultBreakerPolicy, jitter: 0 },
      now,
      random: () => 0.5,
    };
    const attempted = claimed.map((delivery) => ({ ...delivery, result: toAttempt(delivery.row, result) }));
    await this.store.transaction(async (trx) => {
      const leased = await endLeases(trx, "webhooks", attempted);
      if (leased.length > 0) await settleAttempts(trx, context, leased);
    });
    for (const { row } of claimed) this.#deliveries.endAttempt(row, result);
  }

  /** Claims deliveries, and settles them with this result. */
  async attempt(limit: number, result: Result): Promise<void> {
    await this.settle((await this.claim(limit)) ?? [], result);
  }

  /** Acknowledges deliveries until no lane is woken. */
  async deliverAll(): Promise<void> {
    for (let claimed = await this.claim(100); claimed !== undefined; claimed = await this.claim(100))
      await this.settle(claimed, "acknowledged");
  }
}

const toAttempt = ({ attempts }: PendingDelivery, result: Result): Attempt => ({
  number: attempts + 1,
  method: "POST",
  path: "/offer/response",
  filledPath: "/offer/response",
  startedAt: now(),
  durationMs: 1,
  status: result === "acknowledged" ? 200 : 500,
  ...(result !== "acknowledged" && { failure: "not_acknowledged" }),
});
