import type { EndpointHealth } from "@offers/contract/circuit-breaker";
import { DeliveryError } from "./delivery-error.ts";
import type { TestAttempt, TestDelivery, WebhookEvent } from "./test-delivery.ts";

/** A delivery in the queue. */
export interface QueuedDelivery {
  readonly id: string;
  /** All deliveries of one event share this object. */
  readonly event: WebhookEvent;
  readonly orderKey: string;
  readonly attempts: TestAttempt[];
  state: "pending" | "acknowledged" | "failed";
  /** How many of the retry schedule's attempts have been used. */
  used: number;
  /** Unix milliseconds; undefined while an older delivery with the same order key is pending. */
  dueAt: number | undefined;
  isInFlight: boolean;
}

/** The deliveries, oldest first. Those with the same order key are delivered one after another (D-32). */
export class DeliveryQueue {
  readonly #all: QueuedDelivery[] = [];

  record(event: WebhookEvent, now: number): void {
    const { orderKey } = this.#add(event, orderKeyOf(event));
    this.#releaseNext(orderKey, now);
  }

  /** Returns the due deliveries, longest due first, and marks them as in progress. */
  claim(now: number, room: number): QueuedDelivery[] {
    const claimed = this.#waiting()
      .filter(({ dueAt, isInFlight }) => dueAt <= now && !isInFlight)
      .sort((one, other) => one.dueAt - other.dueAt)
      .slice(0, Math.max(0, room));
    for (const delivery of claimed) delivery.isInFlight = true;
    return claimed;
  }

  /** When the next delivery is due. */
  nextDueAt(): number | undefined {
    const times = this.#waiting().map(({ dueAt }) => dueAt);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Ends a delivery, and makes the next one with its order key due. */
  settle(delivery: QueuedDelivery, state: "acknowledged" | "failed", now: number): void {
    delivery.state = state;
    delivery.dueAt = undefined;
    this.#releaseNext(delivery.orderKey, now);
  }

  /** Makes all held deliveries due, with a new retry schedule (D-73). */
  restart(now: number): void {
    for (const delivery of this.#waiting()) {
      delivery.used = 0;
      delivery.dueAt = Math.min(delivery.dueAt, now);
    }
  }

  /** @throws {DeliveryError} `delivery_not_found` */
  find(id: string): QueuedDelivery {
    const delivery = this.#all.find((one) => one.id === id);
    if (delivery === undefined)
      throw new DeliveryError("delivery_not_found", "No delivery has this id; see service.deliveries.");
    return delivery;
  }

  /**
   * Redelivers a failed delivery under its old id, or an acknowledged one under a new id (D-74).
   *
   * @returns the id that is delivered now
   * @throws {DeliveryError} `delivery_not_found`, `delivery_pending` or `delivery_superseded`
   */
  redeliver(id: string, now: number): string {
    const delivery = this.find(id);
    const { state, event, orderKey } = delivery;
    if (state === "pending") throw new DeliveryError("delivery_pending", "The delivery is still pending.");
    const later = this.#all.slice(this.#all.indexOf(delivery) + 1).filter((one) => one.orderKey === orderKey);
    if (later.some((one) => one.event !== event && (state === "acknowledged" || one.state !== "failed")))
      throw new DeliveryError("delivery_superseded", "The same worker has responded to the same offer since.");
    if (later.some((one) => one.event === event))
      throw new DeliveryError("delivery_superseded", "It was redelivered as another delivery; redeliver that one.");
    const redelivered = state === "acknowledged" ? this.#add(event, orderKey) : delivery;
    Object.assign(redelivered, { state: "pending", used: 0 });
    this.#releaseNext(orderKey, now);
    return redelivered.id;
  }

  /** Returns copies, so that what a test holds does not change. */
  snapshot({ disabledAt, openUntil }: EndpointHealth): TestDelivery[] {
    const isDisabled = disabledAt !== null;
    const earliest = openUntil?.getTime() ?? 0;
    return this.#all.map(({ id, event, state, attempts, dueAt }) => {
      const status = attempts.at(-1)?.status;
      return {
        id,
        ...event,
        data: { ...event.data },
        attempts: [...attempts],
        state: isDisabled && state === "pending" ? "held" : state,
        ...(status !== undefined && { status }),
        ...(dueAt !== undefined && !isDisabled && { nextAttemptAt: new Date(Math.max(dueAt, earliest)) }),
      } as TestDelivery;
    });
  }

  #add(event: WebhookEvent, orderKey: string): QueuedDelivery {
    const state = { state: "pending", used: 0, dueAt: undefined, isInFlight: false } as const;
    const delivery = { id: crypto.randomUUID(), event, orderKey, attempts: [], ...state };
    this.#all.push(delivery);
    return delivery;
  }

  #waiting() {
    return this.#all.filter((one): one is QueuedDelivery & { dueAt: number } => one.dueAt !== undefined);
  }

  /** Makes the oldest pending delivery of an order key due, unless it already is. */
  #releaseNext(orderKey: string, now: number): void {
    const oldest = this.#all.find((one) => one.orderKey === orderKey && one.state === "pending");
    if (oldest !== undefined) oldest.dueAt ??= now;
  }
}

/** Returns the order key: one worker's responses to one offer stay in order; nothing else needs an order. */
const orderKeyOf = ({ type, data }: WebhookEvent): string =>
  type === "workerOfferResponse" ? JSON.stringify([data.offerId, data.workerId]) : crypto.randomUUID();
