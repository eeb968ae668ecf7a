import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { Seeded } from "../seeded.ts";

/** Code that sends one statement after another, never two concurrently. */
interface Actor {
  readonly name: string;
  /**
   * `running`: executes JavaScript. `ready`: its next statement waits for its turn. `sent`: the server has the statement, which may wait
   * for a lock.
   */
  phase: "running" | "ready" | "sent" | "ended";
  statement: string;
  /** The process id of its connection's server process. */
  pid: number;
  send: () => void;
  isInTransaction: boolean;
  /** Whether its transaction has a `lock_timeout`. The seed decides when that expires. */
  hasLockTimeout: boolean;
  /** Whether its next statement must wait until no other actor is waiting for a lock. */
  isHeldBack: boolean;
}

interface Client {
  /** An undocumented property of npm `pg`: the process id of the server process. */
  processID: number;
}

type Query = (this: Client, ...parameters: unknown[]) => unknown;

const currentActor = new AsyncLocalStorage<{ interleaving: Interleaving; actor: Actor }>();

/** Patches npm `pg` so that actors' statements wait for their turn. All other statements are sent immediately. */
export function interceptStatements(): void {
  const { prototype } = pg.Client as unknown as { prototype: { query: Query } };
  const query = prototype.query;
  prototype.query = function (text, ...rest) {
    const current = currentActor.getStore();
    if (typeof text !== "string") return query.call(this, text, ...rest);
    // Statements that a pool sends when it opens a connection do not belong to the actor.
    if (current === undefined || text.includes("statement_timeout"))
      return query.call(this, removeTimeouts(text), ...rest);
    const { interleaving, actor } = current;
    actor.pid = this.processID;
    return interleaving.sendInTurn(actor, text, {
      send: () => query.call(this, removeTimeouts(text), ...rest) as Promise<unknown>,
      command: (command) => query.call(this, command) as Promise<unknown>,
    });
  };
}

/** Removes timeouts from a statement, because the schedule decides how long actors wait for locks. */
const removeTimeouts = (text: string): string =>
  text
    .replace("set_config('lock_timeout', '500', true)", "null")
    .replace(/set idle_in_transaction_session_timeout = '\w+';/, "")
    .replace(/^set local lock_timeout = \d+$/, "set local lock_timeout = 0");

interface Connection {
  /** Sends the actor's statement. */
  send: () => Promise<unknown>;
  /** Sends any other statement, over the same connection. */
  command: (text: string) => Promise<unknown>;
}

/** A statement that takes longer than this is waiting for a lock, or the machine is busy. */
const pollMs = 1;
const hangsAfterMs = 30_000;

/**
 * Runs actors on PostgreSQL. Only one at a time sends a statement, and the seed decides which one. While an actor waits for a lock, the
 * others continue until a commit releases the lock. Unless there is a deadlock, only one actor may wait, because the server would decide
 * which of two actors continues first. The second actor's statement is rolled back, and sent again later.
 */
export class Interleaving extends Seeded {
  readonly violations: string[] = [];
  readonly #monitor: pg.Client;
  readonly #actors: Actor[] = [];
  /** The probability that the same actor continues. Some bugs appear only if one actor gets many statements ahead of the others. */
  readonly #chanceToContinue: number;
  /** The probability that a commit is delayed, so that other actors run before it. */
  readonly #chanceToDelayCommit: number;
  #changes = 0;
  #onChange = (): void => undefined;

  /** @param monitor a connection for checking which actors block each other */
  constructor(seed: number, monitor: pg.Client) {
    super(seed);
    this.#monitor = monitor;
    this.#chanceToContinue = this.pick([0, 0.5, 0.8]);
    this.#chanceToDelayCommit = this.pick([0, 0.7, 0.9]);
  }

  /** Adds an actor, which starts in `runToEnd`. An error in its work is a violation. */
  addActor(name: string, work: () => Promise<unknown>): void {
    const flags = { isInTransaction: false, hasLockTimeout: false, isHeldBack: false };
    const actor: Actor = { name, phase: "running", statement: "", pid: 0, send: () => undefined, ...flags };
    actor.send = () => {
      void currentActor.run({ interleaving: this, actor }, async () => {
        try {
          await work();
        } catch (error) {
          const { code = "", name: errorType, message } = error as Error & { code?: string };
          this.violations.push(`error of ${name}: ${errorType} ${code} ${message}`);
        }
        this.#setPhase(actor, "ended");
      });
    };
    this.#actors.push(actor);
  }

  /** Runs the actors until all have ended. */
  async runToEnd(): Promise<void> {
    for (const { send } of this.#actors) send();
    let lastActor: Actor | undefined;
    /** Whether all actors that could continue are held back because they wait for each other. */
    let isDeadlock = false;
    for (;;) {
      await this.#waitUntilSettled();
      const waitingActors = this.#actors.filter(({ phase }) => phase === "sent");
      const isSecondWaiter = lastActor?.phase === "sent" && waitingActors.length > 1;
      if (lastActor !== undefined && isSecondWaiter && !isDeadlock && !(await this.#areDeadlocked(waitingActors))) {
        await this.#holdBack(lastActor);
        continue;
      }
      if (waitingActors.length === 0 || isDeadlock) for (const actor of this.#actors) actor.isHeldBack = false;
      if (waitingActors.length === 0) isDeadlock = false;
      const readyActors = this.#actors.filter(({ phase, isHeldBack }) => phase === "ready" && !isHeldBack);
      const actorsWithLockTimeout = waitingActors.filter(({ hasLockTimeout }) => hasLockTimeout);
      if (actorsWithLockTimeout.length > 0 && (readyActors.length === 0 || this.chance(0.1)))
        await this.#expireLockTimeout(this.pick(actorsWithLockTimeout));
      else if (readyActors.length > 0) {
        lastActor = this.#pickActor(readyActors, lastActor);
        this.#sendNext(lastActor);
      } else if (this.#actors.every(({ phase }) => phase === "ended")) return;
      else if (this.#actors.some(({ isHeldBack }) => isHeldBack)) isDeadlock = true;
      // PostgreSQL aborts one of the deadlocked transactions.
      else await this.#waitForChange();
    }
  }

  /** Picks the actor that sends the next statement. It may be the last actor again, and commits are often delayed. */
  #pickActor(ready: readonly Actor[], lastActor: Actor | undefined): Actor {
    const undelayed = ready.filter(
      ({ statement }) => statement !== "commit" || !this.chance(this.#chanceToDelayCommit),
    );
    const candidates = undelayed.length > 0 ? undelayed : ready;
    const mayContinue = lastActor !== undefined && candidates.includes(lastActor);
    return mayContinue && this.chance(this.#chanceToContinue) ? lastActor : this.pick(candidates);
  }

  /** Lets an actor send its waiting statement. */
  #sendNext(actor: Actor): void {
    this.steps += 1;
    this.recordStep(`${actor.name}: ${actor.statement.replace(/\s+/g, " ")}`);
    actor.phase = "running";
    actor.send();
  }

  /** Sends an actor's statement when the schedule chooses it. */
  async sendInTurn(actor: Actor, text: string, { send, command }: Connection): Promise<unknown> {
    actor.statement = text;
    if (text.startsWith("set local lock_timeout")) actor.hasLockTimeout = true;
    if (text === "commit" || text === "rollback")
      Object.assign(actor, { hasLockTimeout: false, isInTransaction: false });
    for (;;) {
      await new Promise<void>((resolve) => {
        actor.send = resolve;
        this.#setPhase(actor, "ready");
      });
      const mayBeHeldBack = actor.isInTransaction && this.#actors.some(({ phase }) => phase === "sent");
      // Without a savepoint, cancelling the statement would abort the whole transaction.
      if (mayBeHeldBack) await command("savepoint turn");
      this.#setPhase(actor, "sent");
      try {
        const result = await send();
        this.#setPhase(actor, "running");
        if (mayBeHeldBack) await command("release savepoint turn");
        if (text === "begin") actor.isInTransaction = true;
        return result;
      } catch (error) {
        this.#setPhase(actor, "running");
        if ((error as { code?: string }).code !== "57014") throw error;
        // The statement was cancelled, either to hold the actor back or to simulate its lock timeout (55P03).
        if (!actor.isHeldBack) throw Object.assign(error as Error, { code: "55P03" });
        if (mayBeHeldBack) await command("rollback to savepoint turn");
      }
    }
  }

  /** Cancels the actor's statement, which is sent again once no other actor waits for a lock. */
  async #holdBack(actor: Actor): Promise<void> {
    this.recordStep(`${actor.name}: is held back`);
    actor.isHeldBack = true;
    await this.#cancel(actor);
  }

  /** Simulates the expiry of the actor's `lock_timeout` by cancelling its statement. */
  async #expireLockTimeout(actor: Actor): Promise<void> {
    this.recordStep(`${actor.name}: its lock timeout expires`);
    await this.#cancel(actor);
  }

  /** Cancels an actor's statement, and waits until the actor has received the error. */
  async #cancel({ pid }: Actor): Promise<void> {
    const changesBefore = this.#changes;
    await this.#monitor.query("select pg_cancel_backend($1)", [pid]);
    if (this.#changes === changesBefore) await this.#waitForChange();
  }

  #setPhase(actor: Actor, phase: Actor["phase"]): void {
    actor.phase = phase;
    this.#changes += 1;
    this.#onChange();
  }

  /** Resolves when any actor changes its phase. */
  #waitForChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#onChange = resolve;
    });
  }

  /** Waits until each actor has ended, is ready, or is waiting for another actor's lock. */
  async #waitUntilSettled(): Promise<void> {
    const endsAt = performance.now() + hangsAfterMs;
    for (;;) {
      while (this.#actors.some(({ phase }) => phase === "running")) await this.#waitForChange();
      const sent = this.#actors.filter(({ phase }) => phase === "sent");
      if (sent.length === 0) return;
      const changesBefore = this.#changes;
      await Promise.race([this.#waitForChange(), setTimeout(pollMs)]);
      if (this.#changes !== changesBefore) continue;
      const blockers = await this.#findBlockers(sent);
      // An actor without blockers is waiting for autovacuum or for the processor, not for another actor.
      const areBlocked = sent.every((actor) => (blockers.get(actor) ?? []).length > 0);
      if (this.#changes === changesBefore && areBlocked) return;
      if (performance.now() > endsAt)
        throw new Error(`A statement hangs: ${sent.map(({ statement }) => statement).join()}`);
    }
  }

  /** Finds the actors that each actor in `sent` is waiting for. */
  async #findBlockers(sent: readonly Actor[]): Promise<Map<Actor, Actor[]>> {
    const { rows } = await this.#monitor.query<{ pids: number[] }>(
      "select pg_blocking_pids(pid) as pids from unnest($1::int[]) with ordinality as sent (pid, place) order by place",
      [sent.map(({ pid }) => pid)],
    );
    const actors = this.#actors.filter(({ phase }) => phase !== "ended");
    return new Map(sent.map((actor, index) => [actor, actors.filter(({ pid }) => rows[index]?.pids.includes(pid))]));
  }

  /** Whether the actors are deadlocked, which means that they wait only for each other. */
  async #areDeadlocked(waiting: readonly Actor[]): Promise<boolean> {
    const blockers = await this.#findBlockers(waiting);
    return waiting.every((actor) => blockers.get(actor)?.every((blocker) => waiting.includes(blocker)));
  }
}
