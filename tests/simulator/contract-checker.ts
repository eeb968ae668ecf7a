import type { Process, Schedule } from "./schedule.ts";

/** One request that a process wrote to an endpoint's connection. */
export interface Sent {
  deliveryId: string;
  organisationId: string;
  process: Process;
  startedAtMs: number;
  /** When the process learnt the outcome; undefined while it waits, and forever if it was killed. */
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

/** What the receiver's inbox handled, in order. */
export interface Handled {
  delivery_id: string;
}

/** The contents of the tables at the end. */
export interface Outcome {
  deliveries: readonly Delivery[];
  handled: readonly Handled[];
  /** How many acknowledged attempts of each delivery were stored. */
  acknowledgements: readonly { delivery_id: string; count: number }[];
  /** Deliveries whose commit was confirmed. */
  confirmed: ReadonlySet<string>;
}

/** The limit of concurrent attempts at one endpoint, by all processes together (D-72). */
const capacity = 8;
/** A lease lasts four seconds, and a process may notice its end a statement or two late. */
const leaseLapseMs = 7_000;
/** The longest time between planning the next attempt and reporting it, in which the outcome is committed. */
const settlingMs = 10_000;
/** Requests that were claimed before the endpoint was disabled may still be written. */
const disabledGraceMs = 1_000;

/**
 * Checks only what the contract promises: a recorded event is handled once, in the order of its key; no endpoint gets more concurrent
 * attempts than its capacity; a disabled endpoint gets none; an acknowledged delivery is not attempted again, and a failed one not before
 * its time. A disturbance excuses duplicates of the process that it affects, because its lease may have ended: the contract promises only
 * at-least-once.
 */
export class ContractChecker {
  readonly violations: string[] = [];
  readonly #schedule: Schedule;
  readonly #sent: Sent[] = [];
  readonly #handled = new Set<string>();
  readonly #disturbances: { atMs: number; untilMs: number; process: Process | undefined }[] = [];
  readonly #disabledAt = new Map<string, number>();
  /** When a user last restarted the schedules of an organisation. */
  readonly #restartedAtMs = new Map<string, number>();
  /** The reported time of the next attempt. */
  readonly #nextAtMs = new Map<string, number>();
  #hasClockJumped = false;

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
  }

  get sent(): readonly Sent[] {
    return this.#sent;
  }

  /** Whether a running process waits for a response. */
  get isWaiting(): boolean {
    return this.#sent.some(({ endedAtMs, process }) => endedAtMs === undefined && !process.isStopped);
  }

  /** Records a fault that may cause duplicates. @param process undefined if it may have affected any process */
  recordDisturbance(process: Process | undefined, durationMs = 0): void {
    const atMs = this.#schedule.nowMs;
    this.#disturbances.push({ atMs, untilMs: atMs + durationMs, process });
  }

  /** Records a jump of the database's clock. Due times follow that clock, so they are not checked afterwards. */
  recordDatabaseClockJump(): void {
    this.#hasClockJumped = true;
    this.recordDisturbance(undefined, 5_000);
  }

  recordDisabled(organisationId: string): void {
    if (!this.#wasRestarted(organisationId)) this.#disabledAt.set(organisationId, this.#schedule.nowMs);
  }

  /** Records that a user enables the endpoint or restarts its schedules. Called before and after the commit. */
  recordRestart(organisationId: string): void {
    this.#disabledAt.delete(organisationId);
    this.#restartedAtMs.set(organisationId, this.#schedule.nowMs);
  }

  /** Whether a user restarted the schedules in the last ten seconds: a report from before that may arrive after it. */
  #wasRestarted(organisationId: string): boolean {
    return (this.#restartedAtMs.get(organisationId) ?? Number.NEGATIVE_INFINITY) > this.#schedule.nowMs - 10_000;
  }

  /**
   * Records that an attempt failed or was acknowledged.
   *
   * @param process reports it
   * @param delayMs until the next attempt, by the clock of that process: meaningless if that clock jumped after the attempt was planned
   */
  recordAttempt(process: Process, deliveryId: string, delayMs: number | undefined): void {
    const hasJumped = process.clockJumpedAtMs > this.#schedule.nowMs - settlingMs;
    if (delayMs === undefined || hasJumped) this.#nextAtMs.delete(deliveryId);
    else this.#nextAtMs.set(deliveryId, this.#schedule.nowMs + delayMs);
  }

  recordHandled(deliveryId: string): void {
    this.#handled.add(deliveryId);
  }

  isHandled(deliveryId: string): boolean {
    return this.#handled.has(deliveryId);
  }

  /** Records that a process writes a request, and checks the contract. @returns a function to call when the process learns the outcome */
  recordRequest(request: Pick<Sent, "deliveryId" | "organisationId" | "process">): (isAcknowledged: boolean) => void {
    const now = this.#schedule.nowMs;
    const sent: Sent = { ...request, startedAtMs: now, isAcknowledged: false };
    const { deliveryId, organisationId, process } = request;
    const others = this.#sent.filter((other) => other.organisationId === organisationId);
    const inFlight = others.filter((other) => other.endedAtMs === undefined && !this.#isExcused(other));
    if (inFlight.length >= capacity && !this.#isExcused(sent))
      this.violations.push(`capacity: attempt ${inFlight.length + 1} in flight at ${organisationId}`);
    const disabledAt = this.#disabledAt.get(organisationId);
    if (disabledAt !== undefined && now > disabledAt + disabledGraceMs && !this.#isExcused(sent))
      this.violations.push(`disabled: ${process.name} calls ${organisationId}, which is disabled`);
    const nextAtMs = this.#nextAtMs.get(deliveryId) ?? 0;
    if (now < nextAtMs && !this.#hasClockJumped && !this.#restartedAtMs.has(organisationId))
      this.violations.push(`early: ${deliveryId} is attempted ${nextAtMs - now} ms before the time that was reported`);
    for (const other of others)
      if (other.deliveryId === deliveryId && !this.#isExcused(other)) {
        if (other.endedAtMs === undefined) this.violations.push(`double: ${deliveryId} has two attempts in flight`);
        else if (other.isAcknowledged)
          this.violations.push(`double: ${deliveryId} was acknowledged, and is sent again`);
      }
    this.#sent.push(sent);
    return (isAcknowledged) => {
      sent.endedAtMs = this.#schedule.nowMs;
      sent.isAcknowledged = isAcknowledged;
    };
  }

  /** Whether the lease of the process may have ended since it wrote the request. */
  #isExcused({ process, startedAtMs }: Sent): boolean {
    if (process.isStopped) return true;
    return this.#disturbances.some(
      (disturbance) =>
        (disturbance.process ?? process) === process && disturbance.untilMs + leaseLapseMs >= startedAtMs,
    );
  }

  /** Checks the final state. Called when everything has been quiet for long enough. */
  finish({ deliveries, handled, acknowledgements, confirmed }: Outcome): void {
    for (const { delivery_id: id, count } of acknowledgements)
      if (count > 1) this.violations.push(`recorded twice: ${count} acknowledgements of ${id}, of which one was held`);
    const handledIds = handled.map(({ delivery_id }) => delivery_id);
    const recorded = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
    for (const id of confirmed)
      if (!recorded.has(id)) this.violations.push(`lost: ${id} was committed, and is missing`);
    for (const { id, state, organisation_id } of deliveries) {
      if (state === "pending") this.violations.push(`stuck: ${id} of ${organisation_id} is still pending`);
      if (state === "acknowledged" && !handledIds.includes(id))
        this.violations.push(`lost: ${id} is acknowledged, and was not handled`);
    }
    for (const id of new Set(handledIds))
      if (handledIds.indexOf(id) !== handledIds.lastIndexOf(id)) this.violations.push(`twice: ${id} was handled twice`);
    this.#checkOrderOfRequests(recorded);
    const lastOfKey = new Map<string, Delivery>();
    for (const id of handledIds) {
      const delivery = recorded.get(id);
      // A failed delivery may be handled late, by a request that was already sent.
      if (delivery === undefined || delivery.state === "dead") continue;
      const key = `${delivery.organisation_id} ${delivery.order_key}`;
      const last = lastOfKey.get(key);
      if (last !== undefined && last.sequence > delivery.sequence)
        this.violations.push(`order: ${id} was handled after its successor`);
      lastOfKey.set(key, delivery);
    }
  }

  /**
   * Checks that no delivery is sent after a later one with its key, even a second time by a stalled process: a receiver without an inbox would
   * take the older response for the newer one. Leases follow the database's clock, so this is not checked after it has jumped.
   */
  #checkOrderOfRequests(recorded: ReadonlyMap<string, Delivery>): void {
    if (this.#hasClockJumped) return;
    const lastOfKey = new Map<string, Delivery>();
    for (const { deliveryId, process } of this.#sent) {
      const delivery = recorded.get(deliveryId);
      if (delivery === undefined) continue;
      const key = `${delivery.organisation_id} ${delivery.order_key}`;
      const last = lastOfKey.get(key);
      if (last === undefined || last.sequence <= delivery.sequence) lastOfKey.set(key, delivery);
      else this.violations.push(`order: ${process.name} sends ${deliveryId} after its successor`);
    }
  }
}
