import { AsyncLocalStorage } from "node:async_hooks";
import { syncBuiltinESMExports } from "node:module";
import timersPromises from "node:timers/promises";
import { Seeded } from "../seeded.ts";

/** A simulated process. The code that `Schedule.run` runs for it belongs to it, and so do the timers and replies of that code. */
export class Process {
  readonly name: string;
  /** A stopped process runs no more code. Its timers and replies are dropped, so its promises never settle. */
  isStopped = false;
  /** None of its code runs before this time, as during a long garbage collection or on a suspended machine. */
  stalledUntilMs = 0;
  /** How far its wall clock is ahead of virtual time; negative if it is behind. */
  wallOffsetMs = 0;
  /** When its wall clock last jumped. */
  clockJumpedAtMs = Number.NEGATIVE_INFINITY;
  /** Functions that are called when the process stops, for example to drop its connections. */
  readonly onStop: (() => void)[] = [];

  constructor(name: string) {
    this.name = name;
  }

  jumpClock(nowMs: number, wallOffsetMs: number): void {
    this.wallOffsetMs = wallOffsetMs;
    this.clockJumpedAtMs = nowMs;
  }

  stop(): void {
    if (this.isStopped) return;
    this.isStopped = true;
    for (const listener of this.onStop) listener();
  }
}

interface Event {
  atMs: number;
  /** Orders events that are due at the same time. */
  tiebreaker: number;
  /** Undefined for events outside all processes, such as a packet in transit or the database server's work. */
  process: Process | undefined;
  what: string;
  run: () => unknown;
  isCancelled: boolean;
}

export interface Cancellable {
  cancel(): void;
}

const currentContext = new AsyncLocalStorage<{ schedule: Schedule; process: Process }>();

/** Returns the simulated process whose code is running. */
export function currentProcess(): Process {
  const process = currentContext.getStore()?.process;
  if (process === undefined) throw new Error("no simulated process runs this code");
  return process;
}

/** The function that `virtualiseTimers` does not replace. */
const realImmediate = setImmediate;
/** Lets all resolved promises run their continuations. */
const drainPromises = (): Promise<void> => new Promise((resolve) => void realImmediate(resolve));

/**
 * Advances virtual time, and decides the order of events: timers, event-loop turns, statements and replies. It runs the event that is due
 * first, or a random event if several are due at the same time. The seed determines all random choices, so it replays exactly.
 */
export class Schedule extends Seeded {
  nowMs = 0;
  /** Called before each step of a process. It may stop or stall the process. */
  beforeStep: (process: Process, what: string) => void = () => undefined;
  #events: Event[] = [];
  /** Whether no process has run code since promises were last drained. */
  #isDrained = false;

  /** Picks how long a packet, a statement or a wake-up takes: usually a millisecond or two, sometimes much longer. */
  latencyMs(): number {
    const draw = this.random();
    if (draw < 0.9) return this.between(0, 2);
    return draw < 0.99 ? this.between(3, 20) : this.between(20, 300);
  }

  /** Schedules `run` for a process after a delay in virtual time. @param what the step's name in a trace */
  after(process: Process | undefined, delayMs: number, what: string, run: () => unknown): Cancellable {
    const event = { atMs: this.nowMs + delayMs, tiebreaker: this.random(), process, what, run, isCancelled: false };
    this.#events.push(event);
    return {
      cancel() {
        event.isCancelled = true;
      },
    };
  }

  /** Runs code as part of a process. */
  run<T>(process: Process, work: () => T): T {
    this.#isDrained = false;
    return currentContext.run({ schedule: this, process }, work);
  }

  /** Runs events until `condition` holds or `limitMs` of virtual time have passed. @returns whether it holds */
  async runUntil(condition: () => boolean, limitMs: number): Promise<boolean> {
    const endMs = this.nowMs + limitMs;
    // Code that ran since the last step may have scheduled events.
    await this.#drainPromises();
    while (!condition()) {
      const event = this.#takeNext();
      if (event === undefined || event.atMs > endMs) {
        if (event !== undefined) this.#events.push(event);
        this.nowMs = endMs;
        return condition();
      }
      this.nowMs = Math.max(this.nowMs, event.atMs);
      this.#runEvent(event);
      if (!this.#isDrained) await this.#drainPromises();
    }
    return true;
  }

  async #drainPromises(): Promise<void> {
    await drainPromises();
    this.#isDrained = true;
  }

  #runEvent({ process, what, run }: Event): void {
    this.steps += 1;
    if (process !== undefined) this.beforeStep(process, what);
    if (process?.isStopped) return;
    if (process !== undefined && process.stalledUntilMs > this.nowMs) {
      this.after(process, process.stalledUntilMs - this.nowMs, what, run);
      return;
    }
    this.recordStep(`${this.nowMs} ${process?.name ?? "-"} ${what}`);
    if (process === undefined) run();
    else this.run(process, run);
  }

  /** Removes and returns the next event. Also removes events that will never happen. */
  #takeNext(): Event | undefined {
    const events = this.#events;
    let next: Event | undefined;
    /** How many remaining events have been moved to the front of the list. */
    let keptCount = 0;
    for (const event of events) {
      if (event.isCancelled || event.process?.isStopped) continue;
      if (next === undefined) {
        next = event;
        continue;
      }
      const isEarlier = event.atMs < next.atMs || (event.atMs === next.atMs && event.tiebreaker < next.tiebreaker);
      events[keptCount] = isEarlier ? next : event;
      keptCount += 1;
      if (isEarlier) next = event;
    }
    events.length = keptCount;
    return next;
  }
}

/**
 * Replaces the clocks and timers of this Node process. Code of a simulated process uses virtual time. All other code uses real time.
 */
export function virtualiseTimers(): void {
  const real = {
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    setInterval: globalThis.setInterval,
    setImmediate: globalThis.setImmediate,
    now: performance.now.bind(performance),
    date: Date.now,
    sleep: timersPromises.setTimeout,
    turn: timersPromises.setImmediate,
  };
  performance.now = () => currentContext.getStore()?.schedule.nowMs ?? real.now();
  Date.now = () => {
    if (databaseTimeMs !== undefined) return databaseTimeMs;
    const context = currentContext.getStore();
    return context === undefined ? real.date() : wallClock(context.schedule, context.process).getTime();
  };
  const startTimer = (
    work: (...values: unknown[]) => void,
    ms: number,
    values: unknown[],
    repeats: boolean,
  ): unknown => {
    // PGlite also sets timers, for example for timeouts. Ignore them, because none of them changes a statement's result.
    if (databaseTimeMs !== undefined) return undefined;
    const context = currentContext.getStore();
    if (context === undefined) return (repeats ? real.setInterval : real.setTimeout)(work, ms, ...values);
    return new VirtualTimer(context.schedule, context.process, () => work(...values), ms, repeats);
  };
  const clearTimer = (timer: unknown): void => {
    if (timer instanceof VirtualTimer) timer.cancel();
    else real.clearTimeout(timer as NodeJS.Timeout);
  };
  Object.assign(globalThis, {
    setTimeout: (work: () => void, ms = 0, ...values: unknown[]) => startTimer(work, ms, values, false),
    setInterval: (work: () => void, ms = 0, ...values: unknown[]) => startTimer(work, ms, values, true),
    clearTimeout: clearTimer,
    clearInterval: clearTimer,
  });
  Object.assign(timersPromises, {
    setTimeout(ms = 0, value?: unknown, options: { signal?: AbortSignal } = {}) {
      const context = currentContext.getStore();
      if (context === undefined) return real.sleep(ms, value, options);
      return new Promise((resolve, reject) => {
        const abort = (): void => reject(new DOMException("The operation was aborted", "AbortError"));
        if (options.signal?.aborted) return abort();
        const timer = new VirtualTimer(context.schedule, context.process, () => resolve(value), ms, false);
        options.signal?.addEventListener("abort", () => {
          timer.cancel();
          abort();
        });
      });
    },
    setImmediate(value?: unknown) {
      const context = currentContext.getStore();
      if (context === undefined) return real.turn(value);
      return new Promise((resolve) => context.schedule.after(context.process, 0, "turn", () => resolve(value)));
    },
  });
  syncBuiltinESMExports();
}

/** The time that `Date.now` returns while code of the database server runs. */
let databaseTimeMs: number | undefined;

/** Runs code of the database server, while `Date.now` returns this time in every process. */
export function runAtWallTime<T>(ms: number, work: () => T): T {
  databaseTimeMs = ms;
  try {
    return work();
  } finally {
    databaseTimeMs = undefined;
  }
}

/** Reads a process's wall clock. Virtual time starts at a fixed date, so that a seed replays on any day. */
export const wallClock = (schedule: Schedule, { wallOffsetMs }: Process): Date =>
  new Date(startedAt + schedule.nowMs + wallOffsetMs);

export const startedAt = Date.parse("2026-01-01T00:00:00Z");

class VirtualTimer {
  readonly #start: () => Cancellable;
  #event: Cancellable;

  constructor(schedule: Schedule, process: Process, work: () => void, ms: number, repeats: boolean) {
    // Node's timers fire up to a millisecond late, in no fixed order.
    this.#start = () =>
      schedule.after(process, Math.max(1, ms) + schedule.between(0, 1), "timer", () => {
        if (repeats) this.#event = this.#start();
        work();
      });
    this.#event = this.#start();
  }

  cancel(): void {
    this.#event.cancel();
  }

  refresh(): this {
    this.#event.cancel();
    this.#event = this.#start();
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}
