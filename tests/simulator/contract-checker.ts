import { endpointCapacity } from "@offers/contract/circuit-breaker";
import type { Process, Schedule } from "./schedule.ts";

/** One request that a process wrote to an endpoint's connection. */
export interface SentRequest {
  deliveryId: string;
  organisationId: string;
  process: Process;
  startedAtMs: number;
  /** When the process received the outcome. Undefined while it waits, and forever if it was killed. */
  endedAtMs?: number;
  isAcknowledged: boolean;
}

/** A delivery's row in the platform's table. */
export interface Delivery {
  id: string;
  sequence: number;
  organisation_id: string;
  order_key: string;
  state: string;
}

/** A row of the receiver's `handled` table. */
export interface HandledRow {
  delivery_id: string;
}

/** The contents of the tables at the end of a scenario. */
export interface Outcome {
  deliveries: readonly Delivery[];
  handled: readonly HandledRow[];
  /** How many acknowledged attempts of each delivery were stored. */
  acknowledgements: readonly { delivery_id: string; count: number }[];
  /** Ids of the deliveries whose commit was confirmed. */
  confirmedIds: ReadonlySet<string>;
}

/** How long after a fault duplicates are excused. A lease lasts four seconds, and a process may notice its end a few statements late. */
const leaseLapseMs = 7_000;
/** The longest time between planning the next attempt and reporting it. In between, the outcome is committed. */
const settlingMs = 10_000;
/** How long after an endpoint is disabled the requests that were claimed earlier may still be sent. */
const disabledGraceMs = 1_000;

/**
 * Checks only what the contract promises. A recorded event is handled once, in the order of its key. No endpoint gets more concurrent
 * attempts than its capacity, and a disabled endpoint gets none. An acknowledged delivery is not attempted again, and a failed delivery is
 * not attempted too early. After a disturbance, the lease of the affected process may have ended. The process may then send duplicates,
 * because the contract only promises at-least-once delivery.
 */
export class ContractChecker {
  readonly violations: string[] = [];
  readonly #schedule: Schedule;
  readonly #sent: SentRequest[] = [];
  readonly #handled = new Set<string>();
  readonly #disturbances: { atMs: number; untilMs: number; process: Process | undefined }[] = [];
  /** When each disabled endpoint was disabled, by organisation. */
  readonly #disabledAtMs = new Map<string, number>();
  /** When a user last restarted an organisation's schedules. */
  readonly #restartedAtMs = new Map<string, number>();
  /** When each delivery's next attempt is due, as the platform reported. */
  readonly #nextAttemptAtMs = new Map<string, number>();
  #hasClockJumped = false;

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
  }

  get sent(): readonly SentRequest[] {
    return this.#sent;
  }

  /** Whether a running process is waiting for a response. */
  get isWaiting(): boolean {
    return this.#sent.some(({ endedAtMs, process }) => endedAtMs === undefined && !process.isStopped);
  }

  /** Records a fault that may cause duplicates. @param process undefined if it may have affected any process */
  recordDisturbance(process: Process | undefined, durationMs = 0): void {
    const atMs = this.#schedule.nowMs;
    this.#disturbances.push({ atMs, untilMs: atMs + durationMs, process });
  }

  /** Records a jump of the database clock. Due times follow that clock, so they are not checked afterwards. */
  recordDatabaseClockJump(): void {
    this.#hasClockJumped = true;
    this.recordDisturbance(undefined, 5_000);
  }

  /** Records that an endpoint was disabled, unless a user has just enabled it again. */
  recordDisabled(organisationId: string): void {
    if (!this.#wasJustRestarted(organisationId)) this.#disabledAtMs.set(organisationId, this.#schedule.nowMs);
  }

  /** Records that a user enables the endpoint or restarts its schedules. Called before and after the commit. */
  recordRestart(organisationId: string): void {
    this.#disabledAtMs.delete(organisationId);
    this.#restartedAtMs.set(organisationId, this.#schedule.nowMs);
  }

  /** Whether a user restarted the schedules in the last ten seconds. A report from before the restart may still arrive after it. */
  #wasJustRestarted(organisationId: string): boolean {
    return (this.#restartedAtMs.get(organisationId) ?? Number.NEGATIVE_INFINITY) > this.#schedule.nowMs - 10_000;
  }

  /**
   * Records when the next attempt of a delivery is due.
   *
   * @param process the process that reported the outcome of an attempt
   * @param delayMs the time until the next attempt by that process's clock; meaningless if the clock jumped after the attempt was planned.
   *   Undefined if there is no next attempt
   */
  recordNextAttempt(process: Process, deliveryId: string, delayMs: number | undefined): void {
    const hasJumped = process.clockJumpedAtMs > this.#schedule.nowMs - settlingMs;
    if (delayMs === undefined || hasJumped) this.#nextAttemptAtMs.delete(deliveryId);
    else this.#nextAttemptAtMs.set(deliveryId, this.#schedule.nowMs + delayMs);
  }

  recordHandled(deliveryId: string): void {
    this.#handled.add(deliveryId);
  }

  isHandled(deliveryId: string): boolean {
    return this.#handled.has(deliveryId);
  }

  /** Records that a process writes a request, and checks the contract. @returns a function to call when the process receives the outcome */
  recordRequest(
    request: Pick<SentRequest, "deliveryId" | "organisationId" | "process">,
  ): (isAcknowledged: boolean) => void {
    const sentRequest: SentRequest = { ...request, startedAtMs: this.#schedule.nowMs, isAcknowledged: false };
    this.#checkRequest(sentRequest);
    this.#sent.push(sentRequest);
    return (isAcknowledged) => {
      sentRequest.endedAtMs = this.#schedule.nowMs;
      sentRequest.isAcknowledged = isAcknowledged;
    };
  }

  /** Checks that the contract allows a request at this time, given the requests that were sent before it. */
  #checkRequest(request: SentRequest): void {
    const { deliveryId, organisationId, process, startedAtMs: nowMs } = request;
    const earlierRequests = this.#sent.filter((earlier) => earlier.organisationId === organisationId);
    const inFlight = earlierRequests.filter((earlier) => earlier.endedAtMs === undefined && !this.#isExcused(earlier));
    if (inFlight.length >= endpointCapacity && !this.#isExcused(request))
      this.violations.push(`capacity: attempt ${inFlight.length + 1} in flight at ${organisationId}`);
    const disabledAtMs = this.#disabledAtMs.get(organisationId);
    if (disabledAtMs !== undefined && nowMs > disabledAtMs + disabledGraceMs && !this.#isExcused(request))
      this.violations.push(
        `disabled: ${process.name} sends a request to ${organisationId}, whose endpoint is disabled`,
      );
    const nextAtMs = this.#nextAttemptAtMs.get(deliveryId) ?? 0;
    if (nowMs < nextAtMs && !this.#hasClockJumped && !this.#restartedAtMs.has(organisationId))
      this.violations.push(`early: ${deliveryId} is attempted ${nextAtMs - nowMs} ms before the reported time`);
    for (const earlier of earlierRequests)
      if (earlier.deliveryId === deliveryId && !this.#isExcused(earlier)) {
        if (earlier.endedAtMs === undefined) this.violations.push(`double: ${deliveryId} has two attempts in flight`);
        else if (earlier.isAcknowledged)
          this.violations.push(`double: ${deliveryId} is sent again after it was acknowledged`);
      }
  }

  /** Whether the lease of the process may have ended before or after it wrote the request, so that duplicates are allowed. */
  #isExcused({ process, startedAtMs }: SentRequest): boolean {
    if (process.isStopped) return true;
    return this.#disturbances.some(
      (disturbance) =>
        (disturbance.process ?? process) === process && disturbance.untilMs + leaseLapseMs >= startedAtMs,
    );
  }

  /** Checks the final state, after the time for recovery has passed. */
  checkOutcome({ deliveries, handled, acknowledgements, confirmedIds }: Outcome): void {
    for (const { delivery_id: id, count } of acknowledgements)
      if (count > 1) this.violations.push(`recorded twice: ${count} acknowledgements of ${id} were stored`);
    const handledIds = handled.map(({ delivery_id }) => delivery_id);
    const deliveriesById = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
    for (const id of confirmedIds)
      if (!deliveriesById.has(id)) this.violations.push(`lost: ${id} was committed but is missing`);
    for (const { id, state, organisation_id } of deliveries) {
      if (state === "pending") this.violations.push(`stuck: ${id} for ${organisation_id} is still pending`);
      if (state === "acknowledged" && !handledIds.includes(id))
        this.violations.push(`lost: ${id} is acknowledged but was not handled`);
    }
    for (const id of new Set(handledIds))
      if (handledIds.indexOf(id) !== handledIds.lastIndexOf(id)) this.violations.push(`twice: ${id} was handled twice`);
    this.#checkRequestOrder(deliveriesById);
    this.#checkHandlingOrder(handledIds, deliveriesById);
  }

  /** Checks that the receiver handled the deliveries with one key in order. */
  #checkHandlingOrder(handledIds: readonly string[], deliveriesById: ReadonlyMap<string, Delivery>): void {
    const lastByKey = new Map<string, Delivery>();
    for (const id of handledIds) {
      const delivery = deliveriesById.get(id);
      // A failed delivery may be handled late, by a request that was already sent.
      if (delivery === undefined || delivery.state === "dead") continue;
      const key = `${delivery.organisation_id} ${delivery.order_key}`;
      const last = lastByKey.get(key);
      if (last !== undefined && last.sequence > delivery.sequence)
        this.violations.push(`order: ${id} was handled after its successor`);
      lastByKey.set(key, delivery);
    }
  }

  /**
   * Checks that no delivery is sent after a later delivery with its key, not even by a stalled process that sends it again. A receiver
   * without an inbox would mistake the older response for the newer one. Leases follow the database clock, so the order is not checked
   * after that clock has jumped.
   */
  #checkRequestOrder(deliveriesById: ReadonlyMap<string, Delivery>): void {
    if (this.#hasClockJumped) return;
    const lastByKey = new Map<string, Delivery>();
    for (const { deliveryId, process } of this.#sent) {
      const delivery = deliveriesById.get(deliveryId);
      if (delivery === undefined) continue;
      const key = `${delivery.organisation_id} ${delivery.order_key}`;
      const last = lastByKey.get(key);
      if (last === undefined || last.sequence <= delivery.sequence) lastByKey.set(key, delivery);
      else this.violations.push(`order: ${process.name} sends ${deliveryId} after its successor`);
    }
  }
}
