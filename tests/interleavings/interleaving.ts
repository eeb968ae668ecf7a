import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { Seeded } from "../seeded.ts";

/** Code that sends one statement after another, over one connection at a time. */
interface Actor {
  readonly name: string;
  /**
   * `running`: JavaScript. `ready`: its next statement waits for its turn. `sent`: the server has the statement, which may wait for a lock.
   */
  phase: "running" | "ready" | "sent" | "ended";
  statement: string;
  /** The process id of its connection's server process. */
  pid: number;
  send: () => void;
  isInTransaction: boolean;
  /** Whether its transaction has a `lock_timeout`. The seed decides when that expires. */
  hasLockTimeout: boolean;
  /** Whether its next statement must wait until nobody else is waiting for a lock. */
  isHeldBack: boolean;
}

interface Client {
  /** A property of npm `pg` that it does not document. */
  processID: number;
}

type Query = (this: Client, ...parameters: unknown[]) => unknown;

const running = new AsyncLocalStorage<{ interleaving: Interleaving; actor: Actor }>();

/** From now on, statements of actors wait for their turn. All others are sent immediately. */
export function interceptStatements(): void {
  const { prototype } = pg.Client as unknown as { prototype: { query: Query } };
  const query = prototype.query;
  prototype.query = function (text, ...rest) {
    const current = running.getStore();
    // Statements that a pool sends when it opens a connection do not belong to the actor.
    if (current === undefined || typeof text !== "string" || text.includes("statement_timeout"))
      return query.call(this, text, ...rest);
    const { interleaving, actor } = current;
    actor.pid = this.processID;
    return interleaving.turn(actor, text, {
      send: () => query.call(this, withoutTimeouts(text), ...rest) as Promise<unknown>,
      command: (command) => query.call(this, command) as Promise<unknown>,
    });
  };
}

/** The schedule decides how long actors wait for locks, not a clock. */
const withoutTimeouts = (text: string): string =>
  text
    .replace("set_config('idle_in_transaction_session_timeout', '2000', true)", "null")
    .replace(/; set local idle_in_transaction_session_timeout = '\w+'/, "")
    .replace(/^set local lock_timeout = \d+$/, "set local lock_timeout = 0");

interface Connection {
  /** Sends the actor's statement. */
  send: () => Promise<unknown>;
  /** Sends another. */
  command: (text: string) => Promise<unknown>;
}

/** How much longer than a statement takes: after that, it is waiting for a lock, or the machine is busy. */
const pollMs = 1;
const hangsAfterMs = 30_000;

/**
 * Runs actors on PostgreSQL, one of which sends a statement at a time: the seed decides which. An actor whose statement waits for a lock
 * stays behind until another's commit lets it continue. Only one waits at a time, unless they wait for each other: if two waited for the
 * same row, the server would decide which continues first. The second is rolled back to where it was, and sends its statement later.
 */
export class Interleaving extends Seeded {
  readonly violations: string[] = [];
  readonly #monitor: pg.Client;
  readonly #actors: Actor[] = [];
  /** How likely it is that the same actor continues: some bugs need one to overtake another by many statements. */
  readonly #persistence: number;
  /** How likely it is that a commit is delayed: others must not miss what a transaction has not committed. */
  readonly #reluctance: number;
  #changes = 0;
  #onChange = (): void => undefined;

  /** @param monitor a connection that checks who waits for whom */
  constructor(seed: number, monitor: pg.Client) {
    super(seed);
    this.#monitor = monitor;
    this.#persistence = this.pick([0, 0.5, 0.8]);
    this.#reluctance = this.pick([0, 0.7, 0.9]);
  }

  /** Starts when `toEnd` is called. An error of its work is a violation. */
  start(name: string, work: () => Promise<unknown>): void {
    const flags = { isInTransaction: false, hasLockTimeout: false, isHeldBack: false };
    const actor: Actor = { name, phase: "running", statement: "", pid: 0, send: () => undefined, ...flags };
    actor.send = () => {
      void running.run({ interleaving: this, actor }, async () => {
        try {
          await work();
        } catch (error) {
          const { code = "", name: kind, message } = error as Error & { code?: string };
          this.violations.push(`error of ${name}: ${kind} ${code} ${message}`);
        }
        this.#move(actor, "ended");
      });
    };
    this.#actors.push(actor);
  }

  /** Runs the actors until all have ended. */
  async toEnd(): Promise<void> {
    for (const { send } of this.#actors) send();
    let last: Actor | undefined;
    /** Whether all actors that could continue are held back because they wait for each other. */
    let isDeadlock = false;
    for (;;) {
      await this.#settled();
      const waiting = this.#actors.filter(({ phase }) => phase === "sent");
      const isSecond = last?.phase === "sent" && waiting.length > 1;
      if (last !== undefined && isSecond && !isDeadlock && !(await this.#waitForEachOther(waiting))) {
        await this.#holdBack(last);
        continue;
      }
      if (waiting.length === 0 || isDeadlock) for (const actor of this.#actors) actor.isHeldBack = false;
      if (waiting.length === 0) isDeadlock = false;
      const ready = this.#actors.filter(({ phase, isHeldBack }) => phase === "ready" && !isHeldBack);
      const late = waiting.filter(({ hasLockTimeout }) => hasLockTimeout);
      if (late.length > 0 && (ready.length === 0 || this.chance(0.1))) await this.#timeOut(this.pick(late));
      else if (ready.length > 0) {
        const eager = ready.filter(({ statement }) => statement !== "commit" || !this.chance(this.#reluctance));
        const next = eager.length > 0 ? eager : ready;
        last = last !== undefined && next.includes(last) && this.chance(this.#persistence) ? last : this.pick(next);
        this.#go(last);
      } else if (this.#actors.every(({ phase }) => phase === "ended")) return;
      else if (this.#actors.some(({ isHeldBack }) => isHeldBack)) isDeadlock = true;
      // PostgreSQL ends one of them.
      else await this.#change();
    }
  }

  #go(actor: Actor): void {
    this.steps += 1;
    this.note(`${actor.name}: ${actor.statement.replace(/\s+/g, " ")}`);
    actor.phase = "running";
    actor.send();
  }

  /** Called for each statement of an actor. */
  async turn(actor: Actor, text: string, { send, command }: Connection): Promise<unknown> {
    actor.statement = text;
    if (text.startsWith("set local lock_timeout")) actor.hasLockTimeout = true;
    if (text === "commit" || text === "rollback")
      Object.assign(actor, { hasLockTimeout: false, isInTransaction: false });
    for (;;) {
      await new Promise<void>((resolve) => {
        actor.send = resolve;
        this.#move(actor, "ready");
      });
      const mayBeHeldBack = actor.isInTransaction && this.#actors.some(({ phase }) => phase === "sent");
      if (mayBeHeldBack) await command("savepoint turn");
      this.#move(actor, "sent");
      try {
        const result = await send();
        this.#move(actor, "running");
        if (mayBeHeldBack) await command("release savepoint turn");
        if (text === "begin") actor.isInTransaction = true;
        return result;
      } catch (error) {
        this.#move(actor, "running");
        if ((error as { code?: string }).code !== "57014") throw error;
        // It was cancelled, either by `holdBack` or in place of its lock timeout.
        if (!actor.isHeldBack) throw Object.assign(error as Error, { code: "55P03" });
        if (mayBeHeldBack) await command("rollback to savepoint turn");
      }
    }
  }

  async #holdBack(actor: Actor): Promise<void> {
    this.note(`${actor.name}: is held back`);
    actor.isHeldBack = true;
    await this.#cancel(actor);
  }

  async #timeOut(actor: Actor): Promise<void> {
    this.note(`${actor.name}: its lock timeout is over`);
    await this.#cancel(actor);
  }

  async #cancel({ pid }: Actor): Promise<void> {
    const before = this.#changes;
    await this.#monitor.query("select pg_cancel_backend($1)", [pid]);
    if (this.#changes === before) await this.#change();
  }

  #move(actor: Actor, phase: Actor["phase"]): void {
    actor.phase = phase;
    this.#changes += 1;
    this.#onChange();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#onChange = resolve;
    });
  }

  /** Waits until each actor has ended, is ready, or waits for a lock of another. */
  async #settled(): Promise<void> {
    const endsAt = performance.now() + hangsAfterMs;
    for (;;) {
      while (this.#actors.some(({ phase }) => phase === "running")) await this.#change();
      const sent = this.#actors.filter(({ phase }) => phase === "sent");
      if (sent.length === 0) return;
      const before = this.#changes;
      await Promise.race([this.#change(), setTimeout(pollMs)]);
      if (this.#changes !== before) continue;
      const blockers = await this.#blockersOf(sent);
      // Blocked neither by autovacuum nor merely by waiting for the processor.
      const areBlocked = sent.every((actor) => (blockers.get(actor) ?? []).length > 0);
      if (this.#changes === before && areBlocked) return;
      if (performance.now() > endsAt)
        throw new Error(`A statement hangs: ${sent.map(({ statement }) => statement).join()}`);
    }
  }

  /** The actors that these are waiting for. */
  async #blockersOf(sent: readonly Actor[]): Promise<Map<Actor, Actor[]>> {
    const { rows } = await this.#monitor.query<{ pids: number[] }>(
      "select pg_blocking_pids(pid) as pids from unnest($1::int[]) with ordinality as sent (pid, place) order by place",
      [sent.map(({ pid }) => pid)],
    );
    const actors = this.#actors.filter(({ phase }) => phase !== "ended");
    return new Map(sent.map((actor, index) => [actor, actors.filter(({ pid }) => rows[index]?.pids.includes(pid))]));
  }

  /** A deadlock: they wait for nobody else. */
  async #waitForEachOther(waiting: readonly Actor[]): Promise<boolean> {
    const blockers = await this.#blockersOf(waiting);
    return waiting.every((actor) => blockers.get(actor)?.every((other) => waiting.includes(other)));
  }
}
