import type { Process, Schedule } from "./schedule.ts";

/** One request that a process wrote to an endpoint's connection. */
export interface Sent {
  deliveryId: string;
  organisationId: string;
  process: Process;
  startedAtMs: number;
  /** When the process learnt the outcome; undefined while it waits, and for ever when it was killed. */
  endedAtMs?: number;
  isAcknowledged: boolean;
}

/** A delivery as it stands in the platform's table. */
export interface Delivery {
  id: string;
  sequence: number;
  organisation_id: string;
  order_key: string;
  state: string;
}

/** What the receiver's inbox handled, in this order. */
export interface Handled {
  delivery_id: string;
}

/** What the tables hold at the end. */
export interface Outcome {
  deliveries: readonly Delivery[];
  handled: readonly Handled[];
  /** How many acknowledged attempts of each delivery were stored. */
  acknowledgements: readonly { delivery_id: string; count: number }[];
  /** Deliveries whose commit was confirmed. */
  confirmed: ReadonlySet<string>;
}

/** Attempts at one endpoint at a time, over all processes (D-72). */
const capacity = 8;
/** A lease lasts four seconds, and a process notices its end late by a statement or two. */
const leaseLapseMs = 7_000;
/** Between planning an attempt and reporting it, its outcome is committed. */
const settlingMs = 10_000;
/** Requests that were claimed before the endpoint was disabled may still be written. */
const disabledGraceMs = 1_000;

/**
 * Knows the contract alone: an event that was recorded is handled once, in the order of its key; no endpoint gets more attempts
 * at a time than its capacity; one that is disabled gets none; an acknowledged delivery is not attempted again, and a failed one
 * not before its time. A disturbance excuses doubles of the process that it hit, since its lease may have ended: at-least-once
 * is all that the contract promises.
 */
export class Oracle {
  readonly violations: string[] = [];
  readonly #schedule: Schedule;
  readonly #sent: Sent[] = [];
  readonly #handled = new Set<string>();
  readonly #disturbances: { atMs: number; untilMs: number; process: Process | undefined }[] = [];
  readonly #disabledAt = new Map<string, number>();
  /** When a person last restarted the schedules of an organisation. */
  readonly #restartedAtMs = new Map<string, number>();
  /** The time of the next attempt, as it was reported. */
  readonly #nextAtMs = new Map<string, number>();
  #hasClockJumped = false;

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
  }

  get sent(): readonly Sent[] {
    return this.#sent;
  }

  /** Whether a process that runs waits for a response. */
  get isWaiting(): boolean {
    return this.#sent.some(({ endedAtMs, process }) => endedAtMs === undefined && !process.isStopped);
  }

  /** @param process undefined when it may have hit any process */
  disturbed(process: Process | undefined, durationMs = 0): void {
    const atMs = this.#schedule.nowMs;
    this.#disturbances.push({ atMs, untilMs: atMs + durationMs, process });
  }

  /** Due times follow the database's clock, so nothing is said of times once that has jumped. */
  databaseClockJumped(): void {
    this.#hasClockJumped = true;
    this.disturbed(undefined, 5_000);
  }

  disabled(organisationId: string): void {
    if (!this.#wasRestarted(organisationId)) this.#disabledAt.set(organisationId, this.#schedule.nowMs);
  }

  /** A person enables the endpoint, or restarts its schedules: called before and after the commit. */
  restarted(organisationId: string): void {
    this.#disabledAt.delete(organisationId);
    this.#restartedAtMs.set(organisationId, this.#schedule.nowMs);
  }

  /** What was reported before a restart may arrive after it. */
  #wasRestarted(organisationId: string): boolean {
    return (this.#restartedAtMs.get(organisationId) ?? Number.NEGATIVE_INFINITY) > this.#schedule.nowMs - 10_000;
  }

  /**
   * @param process reports it
   * @param delayMs until the next attempt, by the clock of that process: says nothing when this jumped after it planned the attempt
   */
  attempted(process: Process, deliveryId: string, delayMs: number | undefined): void {
    const hasJumped = process.clockJumpedAtMs > this.#schedule.nowMs - settlingMs;
    if (delayMs === undefined || hasJumped) this.#nextAtMs.delete(deliveryId);
    else this.#nextAtMs.set(deliveryId, this.#schedule.nowMs + delayMs);
  }

  handled(deliveryId: string): void {
    this.#handled.add(deliveryId);
  }

  isHandled(deliveryId: string): boolean {
    return this.#handled.has(deliveryId);
  }

  /** Called when a process writes a request. @returns to be called when the process learns the outcome */
  starts(request: Pick<Sent, "deliveryId" | "organisationId" | "process">): (isAcknowledged: boolean) => void {
    const now = this.#schedule.nowMs;
    const sent: Sent = { ...request, startedAtMs: now, isAcknowledged: false };
    const { deliveryId, organisationId, process } = request;
    const others = this.#sent.filter((other) => other.organisationId === organisationId);
    const underWay = others.filter((other) => other.endedAtMs === undefined && !this.#isExcused(other));
    if (underWay.length >= capacity && !this.#isExcused(sent))
      this.violations.push(`capacity: attempt ${underWay.length + 1} at a time at ${organisationId}`);
    const disabledAt = this.#disabledAt.get(organisationId);
    if (disabledAt !== undefined && now > disabledAt + disabledGraceMs && !this.#isExcused(sent))
      this.violations.push(`disabled: ${process.name} calls ${organisationId}, which is disabled`);
    const nextAtMs = this.#nextAtMs.get(deliveryId) ?? 0;
    if (now < nextAtMs && !this.#hasClockJumped && !this.#restartedAtMs.has(organisationId))
      this.violations.push(`early: ${deliveryId} is attempted ${nextAtMs - now} ms before the time that was reported`);
    for (const other of others)
      if (other.deliveryId === deliveryId && !this.#isExcused(other)) {
        if (other.endedAtMs === undefined) this.violations.push(`double: ${deliveryId} is attempted twice at a time`);
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
      (each) => (each.process ?? process) === process && each.untilMs + leaseLapseMs >= startedAtMs,
    );
  }

  /** At the end, when all has been quiet for long enough. */
  finish({ deliveries, handled, acknowledgements, confirmed }: Outcome): void {
    for (const { delivery_id: id, count } of acknowledgements)
      if (count > 1) this.violations.push(`recorded twice: ${count} acknowledgements of ${id}, of which one was held`);
    const handledIds = handled.map(({ delivery_id }) => delivery_id);
    const recorded = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
    for (const id of confirmed) if (!recorded.has(id)) this.violations.push(`lost: ${id} was committed, and is gone`);
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
      // A delivery that was given up may be handled late, by a request that was already on its way.
      if (delivery === undefined || delivery.state === "dead") continue;
      const key = `${delivery.organisation_id} ${delivery.order_key}`;
      const last = lastOfKey.get(key);
      if (last !== undefined && last.sequence > delivery.sequence)
        this.violations.push(`order: ${id} was handled after its successor`);
      lastOfKey.set(key, delivery);
    }
  }

  /**
   * A stalled process may send a delivery twice, but not after a later one of its key: a receiver that keeps no inbox would take
   * the older response for the newer one. Leases follow the database's clock, so nothing is said once that has jumped.
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
