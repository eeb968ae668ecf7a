import type { EndpointHealth } from "@offers/contract/circuit-breaker";
import { isOptionalEvent } from "@offers/contract/optional-events";
import { DeliveryError } from "./delivery-error.ts";
import type { TestAttempt, TestDelivery, WebhookEvent } from "./test-delivery.ts";

type SettledState = "acknowledged" | "failed" | "not_implemented";

/** A delivery in the queue. */
export interface QueuedDelivery {
  readonly id: string;
  /** All deliveries of one event share this object. */
  readonly event: WebhookEvent;
  readonly orderKey: string;
  readonly attempts: TestAttempt[];
  state: "pending" | SettledState;
  /** How many of the retry schedule's attempts have been used. */
  usedAttempts: number;
  /** Unix milliseconds; undefined while an older delivery with the same order key is pending. */
  dueAt: number | undefined;
  isInFlight: boolean;
}

/** The deliveries, oldest first. Those with the same order key are delivered one after another (D-32). */
export class DeliveryQueue {
  readonly #deliveries: QueuedDelivery[] = [];

  /** Adds a delivery of the event. It is due when no older delivery with the same order key is pending. */
  record(event: WebhookEvent, nowMs: number): void {
    const { orderKey } = this.#add(event, getOrderKey(event));
    this.#releaseNext(orderKey, nowMs);
  }

  /**
   * Returns at most `limit` due deliveries, longest due first, and marks them as in progress.
   *
   * @param isAfterPause whether optional events go last, because their attempts cannot end the pause (D-152)
   */
  claim(nowMs: number, limit: number, isAfterPause: boolean): QueuedDelivery[] {
    const rank = ({ event }: QueuedDelivery): number => Number(isAfterPause && isOptionalEvent(event.type));
    const dueDeliveries = this.#scheduledDeliveries()
      .filter(({ dueAt, isInFlight }) => dueAt <= nowMs && !isInFlight)
      .sort((a, b) => rank(a) - rank(b) || a.dueAt - b.dueAt)
      .slice(0, Math.max(0, limit));
    for (const delivery of dueDeliveries) delivery.isInFlight = true;
    return dueDeliveries;
  }

  /** Returns when the next delivery is due, in Unix milliseconds; undefined if none is scheduled. */
  nextDueAt(): number | undefined {
    const dueTimes = this.#scheduledDeliveries().map(({ dueAt }) => dueAt);
    return dueTimes.length === 0 ? undefined : Math.min(...dueTimes);
  }

  /** Ends a delivery, and makes the next one with its order key due. */
  settle(delivery: QueuedDelivery, state: SettledState, nowMs: number): void {
    delivery.state = state;
    delivery.dueAt = undefined;
    this.#releaseNext(delivery.orderKey, nowMs);
  }

  /** Makes all scheduled deliveries due now, with a new retry schedule (D-73). */
  restart(nowMs: number): void {
    for (const delivery of this.#scheduledDeliveries()) {
      delivery.usedAttempts = 0;
      delivery.dueAt = Math.min(delivery.dueAt, nowMs);
    }
  }

  /** Returns the delivery with this id. @throws {DeliveryError} `delivery_not_found` */
  find(id: string): QueuedDelivery {
    const delivery = this.#deliveries.find((candidate) => candidate.id === id);
    if (delivery === undefined)
      throw new DeliveryError("delivery_not_found", "No delivery has this id; see service.deliveries.");
    return delivery;
  }

  /**
   * Redelivers an acknowledged delivery under a new id, or any other settled delivery under the same id (D-74).
   *
   * @returns the id under which it is redelivered
   * @throws {DeliveryError} `delivery_not_found`, `delivery_pending` or `delivery_superseded`
   */
  redeliver(id: string, nowMs: number): string {
    const delivery = this.find(id);
    const { state, event, orderKey } = delivery;
    if (state === "pending") throw new DeliveryError("delivery_pending", "The delivery is still pending.");
    const laterDeliveries = this.#deliveries
      .slice(this.#deliveries.indexOf(delivery) + 1)
      .filter((candidate) => candidate.orderKey === orderKey);
    // A failed later delivery supersedes an acknowledged delivery, but not a failed one.
    const isSuperseded = laterDeliveries.some(
      (later) => later.event !== event && (state === "acknowledged" || later.state !== "failed"),
    );
    if (isSuperseded)
      throw new DeliveryError("delivery_superseded", "The same worker has responded to the same offer since.");
    if (laterDeliveries.some((later) => later.event === event))
      throw new DeliveryError(
        "delivery_superseded",
        "It was redelivered under a new id; redeliver the delivery with that id.",
      );
    const redelivered = state === "acknowledged" ? this.#add(event, orderKey) : delivery;
    Object.assign(redelivered, { state: "pending", usedAttempts: 0 });
    this.#releaseNext(orderKey, nowMs);
    return redelivered.id;
  }

  /** Returns copies of the deliveries, so that a result that a test has stored does not change. */
  snapshot({ disabledAt, openUntil }: EndpointHealth): TestDelivery[] {
    const isDisabled = disabledAt !== null;
    const earliestMs = openUntil?.getTime() ?? 0;
    return this.#deliveries.map(({ id, event, state, attempts, dueAt }) => {
      const status = attempts.at(-1)?.status;
      return {
        id,
        ...event,
        data: { ...event.data },
        attempts: [...attempts],
        state: isDisabled && state === "pending" ? "held" : state,
        ...(status !== undefined && { status }),
        ...(dueAt !== undefined && !isDisabled && { nextAttemptAt: new Date(Math.max(dueAt, earliestMs)) }),
      } as TestDelivery;
    });
  }

  #add(event: WebhookEvent, orderKey: string): QueuedDelivery {
    const state = { state: "pending", usedAttempts: 0, dueAt: undefined, isInFlight: false } as const;
    const delivery = { id: crypto.randomUUID(), event, orderKey, attempts: [], ...state };
    this.#deliveries.push(delivery);
    return delivery;
  }

  #scheduledDeliveries() {
    return this.#deliveries.filter(
      (delivery): delivery is QueuedDelivery & { dueAt: number } => delivery.dueAt !== undefined,
    );
  }

  /** Makes the oldest pending delivery of an order key due, unless it already is. */
  #releaseNext(orderKey: string, nowMs: number): void {
    const oldest = this.#deliveries.find((delivery) => delivery.orderKey === orderKey && delivery.state === "pending");
    if (oldest !== undefined) oldest.dueAt ??= nowMs;
  }
}

/** Returns the order key. One worker's responses to one offer are delivered in order; other events need no order. */
const getOrderKey = ({ type, data }: WebhookEvent): string =>
  type === "workerOfferResponse" ? JSON.stringify([data.offerId, data.workerId]) : crypto.randomUUID();
