import {
  classifyStatus,
  defaultBreakerPolicy,
  type EndpointHealth,
  endpointCapacity,
  healthy,
  nextHealth,
} from "@offers/contract/circuit-breaker";
import { maxSuggestionsBytes, requestTimeoutMs } from "@offers/contract/decisions";
import { isNotImplemented, isOptionalEvent } from "@offers/contract/optional-events";
import { defaultRetrySchedule, retryDelayMs } from "@offers/contract/retry-schedule";
import { checkEndpoint } from "./check-endpoint.ts";
import { DeliveryError } from "./delivery-error.ts";
import { DeliveryQueue, type QueuedDelivery } from "./delivery-queue.ts";
import { type Endpoint, openEndpoint } from "./open-endpoint.ts";
import { prepareWebhook, sendRequest, type Webhook } from "./send-webhook.ts";
import type { TestClock } from "./test-clock.ts";
import type { TestDelivery, WebhookEvent } from "./test-delivery.ts";
import type { ResendOptions } from "./test-webhooks.ts";
import { type ReceivedOutcome, toWebhookOutcome, type WebhookOutcome } from "./webhook-outcome.ts";
import type { ReceiverProfile, WebhookListener, WebhookReceiver } from "./webhook-receiver.ts";

/** The middle of the platform's jitter range. It leaves every delay unchanged, so that a test always runs the same way. */
const withoutJitter = 0.5;

/** Delivers events to one organisation's receiver as the platform does, on the test's clock. */
export class WebhookDelivery {
  readonly #clock: TestClock;
  readonly #queue = new DeliveryQueue();
  readonly #inFlight = new Map<QueuedDelivery, Promise<void>>();
  #endpoint: Endpoint | undefined;
  #health: EndpointHealth = healthy;
  /** Whether the base URL has acknowledged a contact, which is the only optional event. */
  #hasAcknowledgedContact = false;

  constructor(clock: TestClock) {
    this.#clock = clock;
  }

  get deliveries(): TestDelivery[] {
    return this.#queue.snapshot(this.#health);
  }

  /** Checks the receiver and, if both checks pass, delivers events to it from now on. */
  async deliverTo(receiver: WebhookReceiver | WebhookListener, profile: ReceiverProfile): Promise<void> {
    const endpoint = await openEndpoint(receiver, profile, this.#clock);
    await checkEndpoint(endpoint, this.#clock);
    if (endpoint.baseUrl !== this.#endpoint?.baseUrl) this.#hasAcknowledgedContact = false;
    this.#endpoint = endpoint;
    this.#health = healthy;
    this.#queue.restart(this.#clock.ms);
  }

  /** Records an event for delivery. Ignores it while there is no endpoint. */
  record(event: WebhookEvent): void {
    if (this.#endpoint !== undefined) this.#queue.record(event, this.#clock.ms);
  }

  /** Makes attempts until no delivery is due or in progress. */
  async deliver(): Promise<void> {
    for (;;) {
      this.#startDueAttempts();
      if (this.#inFlight.size === 0) return;
      await Promise.race(this.#inFlight.values());
    }
  }

  async advance(ms: number): Promise<void> {
    if (!Number.isFinite(ms) || ms < 0)
      throw new DeliveryError("invalid_argument", `advance: milliseconds must be 0 or more, not ${ms}`);
    const untilMs = this.#clock.ms + ms;
    // If attempts are in progress, the clock moves without waiting for them, so that they can time out.
    if (this.#inFlight.size === 0) await this.#deliverUntil(untilMs);
    this.#clock.moveTo(untilMs);
    await this.deliver();
  }

  redeliver = (id: string): string => this.#queue.redeliver(id, this.#clock.ms);

  /** Sends a delivery's request again, `copies` times concurrently, without changing the delivery. */
  async resend(id: string, { copies = 1, agoMs, secret }: ResendOptions = {}): Promise<WebhookOutcome[]> {
    const endpoint = this.#requireEndpoint();
    if (!Number.isInteger(copies) || copies < 1)
      throw new DeliveryError("invalid_argument", `resend: copies must be an integer of at least 1, not ${copies}`);
    const request = await prepareWebhook(endpoint, toWebhook(this.#queue.find(id)), { agoMs, secret });
    const send = async () => toWebhookOutcome(await sendRequest(endpoint, this.#clock, request));
    return Promise.all(Array.from({ length: copies }, send));
  }

  async searchSuggestions(search: object): Promise<ReceivedOutcome> {
    const endpoint = this.#requireEndpoint();
    const request = await prepareWebhook(endpoint, { method: "POST", path: "/contact-suggestions", body: search });
    return sendRequest(endpoint, this.#clock, request, { timeoutMs: requestTimeoutMs, maxBytes: maxSuggestionsBytes });
  }

  #requireEndpoint(): Endpoint {
    if (this.#endpoint !== undefined) return this.#endpoint;
    throw new DeliveryError("no_receiver", "There is no receiver yet: await service.deliverTo(handler, …) first.");
  }

  /** Makes all attempts that are due until `untilMs`. Moves the clock from each due time to the next. */
  async #deliverUntil(untilMs: number): Promise<void> {
    for (;;) {
      await this.deliver();
      const nextMs = this.#nextAttemptMs();
      if (nextMs === undefined || nextMs > untilMs) return;
      this.#clock.moveTo(nextMs);
    }
  }

  /** Returns when the next attempt can be made; undefined if none is scheduled or the endpoint is disabled. */
  #nextAttemptMs(): number | undefined {
    const nextMs = this.#queue.nextDueAt();
    const { disabledAt, openUntil } = this.#health;
    if (nextMs === undefined || disabledAt !== null) return undefined;
    return Math.max(nextMs, openUntil?.getTime() ?? nextMs);
  }

  #startDueAttempts(): void {
    const now = this.#clock.ms;
    const endpoint = this.#endpoint;
    if (endpoint === undefined) return;
    const freeSlots = capacityAt(this.#health, now) - this.#inFlight.size;
    for (const delivery of this.#queue.claim(now, freeSlots, this.#health.openUntil !== null)) {
      const attempt = this.#makeAttempt(endpoint, delivery).finally(() => {
        delivery.isInFlight = false;
        this.#inFlight.delete(delivery);
      });
      this.#inFlight.set(delivery, attempt);
    }
  }

  async #makeAttempt(endpoint: Endpoint, delivery: QueuedDelivery): Promise<void> {
    const at = this.#clock.now();
    const { type } = delivery.event;
    const isProbe = this.#health.openUntil !== null;
    const request = await prepareWebhook(endpoint, toWebhook(delivery));
    const outcome = await sendRequest(endpoint, this.#clock, request);
    const number = delivery.usedAttempts + 1;
    delivery.attempts.push({ number, at, ...toWebhookOutcome(outcome) });
    const now = this.#clock.ms;
    const isSameProfile = endpoint === this.#endpoint;
    const isOptional = isOptionalEvent(type);
    if (isSameProfile && !isOptional) this.#updateHealth(outcome, isProbe);
    if (outcome.failure === undefined) {
      if (isSameProfile && isOptional) this.#hasAcknowledgedContact = true;
      return this.#queue.settle(delivery, "acknowledged", now);
    }
    const { status } = outcome;
    if (isSameProfile && isNotImplemented({ type, status, hasAcknowledged: this.#hasAcknowledgedContact }))
      return this.#queue.settle(delivery, "not_implemented", now);
    // If the profile was replaced in the meantime, the failure says nothing about the new profile, so it is not counted.
    const delayMs = isSameProfile ? this.#countFailedAttempt(delivery, outcome) : 0;
    if (delayMs === undefined) this.#queue.settle(delivery, "failed", now);
    else delivery.dueAt = now + delayMs;
  }

  #updateHealth({ status, retryAfterMs }: ReceivedOutcome, isProbe: boolean): void {
    const attempt = { result: classifyStatus(status), isProbe, retryAfterMs, at: this.#clock.now() };
    this.#health = nextHealth(this.#health, attempt, defaultBreakerPolicy, withoutJitter);
  }

  /**
   * Counts a failed attempt.
   *
   * @returns the delay before the next attempt, or undefined if none is left; 0 while the endpoint is disabled and its deliveries are held
   *   (D-73)
   */
  #countFailedAttempt(delivery: QueuedDelivery, { retryAfterMs }: ReceivedOutcome): number | undefined {
    delivery.usedAttempts += 1;
    if (this.#health.disabledAt !== null) return 0;
    return retryDelayMs(defaultRetrySchedule, { number: delivery.usedAttempts, retryAfterMs }, withoutJitter);
  }
}

/** Returns how many attempts may run concurrently: none while the endpoint is paused or disabled, and one after a pause. */
function capacityAt({ disabledAt, openUntil }: EndpointHealth, now: number): number {
  if (disabledAt !== null || (openUntil?.getTime() ?? 0) > now) return 0;
  return openUntil === null ? endpointCapacity : 1;
}

/** Returns the delivery's path and payload, as the contract defines them. */
function toWebhook({ id, event }: QueuedDelivery): Webhook {
  if (event.type === "workerOfferResponse")
    return { method: "POST", path: "/offer/response", body: event.data, deliveryId: id };
  return { method: "GET", path: `/contact/new/${encodeURIComponent(event.data.workerId)}`, deliveryId: id };
}
