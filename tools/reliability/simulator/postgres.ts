import { PGlite } from "@electric-sql/pglite";
import { PgliteStatements } from "../../../examples/platform/src/store/pglite/pglite-statements.ts";
import { Connection, type Result, replaceClients, type Server } from "./clients.ts";
import { type Process, type Schedule, startedAt } from "./schedule.ts";

export interface DatabaseFaults {
  /** The share of statements whose connection is lost before they run. */
  lostStatements: number;
  /** The share of statements whose connection is lost after they ran, so that the outcome is unknown. */
  lostReplies: number;
  lostNotifications: number;
  /** The share of commits that take up to three seconds. */
  slowCommits: number;
}

export const noDatabaseFaults: DatabaseFaults = {
  lostStatements: 0,
  lostReplies: 0,
  lostNotifications: 0,
  slowCommits: 0,
};

interface Request {
  connection: Connection;
  text: string;
  values: readonly unknown[];
  arrivedAtMs: number;
  reply: (error: Error | undefined, result?: Result | Result[]) => void;
}

const defaultIdleMs = 30_000;
const longWaitMs = 500;
const lost = (): Error => Object.assign(new Error("Connection terminated unexpectedly"), { code: "ECONNRESET" });

/**
 * One PostgreSQL server for all simulated processes, which reach it through npm `pg`: PGlite beneath, whose one session runs
 * their transactions one after the other. `now()` and `clock_timestamp()` are the schedule's: a schema that the search path names
 * before `pg_catalog` has functions of these names, so the statements of the product stay as they are.
 */
export class SimulatedPostgres implements Server {
  /** How far the server's clock is off. */
  offsetMs = 0;
  faults = noDatabaseFaults;
  /** Called when something may have delayed the renewal of leases: of one process, or of all when they waited for a transaction. */
  onFault: (process: Process | undefined, durationMs: number) => void = () => undefined;
  readonly #database: PGlite;
  readonly #statements: PgliteStatements;
  #schedule: Schedule | undefined;
  #connections = new Set<Connection>();
  #queue: Request[] = [];
  /** The connection whose transaction is open. */
  #owner: Connection | undefined;
  #isRunning = false;
  #clock = "";

  private constructor(database: PGlite) {
    this.#database = database;
    this.#statements = new PgliteStatements(database);
  }

  static async open(): Promise<SimulatedPostgres> {
    const server = new SimulatedPostgres(await PGlite.create());
    replaceClients(server);
    return server;
  }

  /** After the migrations: virtual time for all later statements, also in the defaults of columns. */
  async virtualiseClock(): Promise<void> {
    await this.#database.exec(`
      create schema simulated;
      create function simulated.now() returns timestamptz language sql stable
        as $$ select current_setting('simulated.now')::timestamptz $$;
      create function simulated.clock_timestamp() returns timestamptz language sql stable
        as $$ select current_setting('simulated.clock')::timestamptz $$;
      set simulated.now = '2026-01-01'; set simulated.clock = '2026-01-01';
      do $$ declare each record; begin
        for each in select table_name, column_name from information_schema.columns
          where table_schema = 'public' and column_default = 'now()'
        loop
          execute format('alter table public.%I alter column %I set default simulated.now()', each.table_name, each.column_name);
        end loop;
      end $$;
      set search_path = simulated, pg_catalog, public;
      set random_page_cost = 1.1;`);
  }

  /** Outside of simulated time. */
  async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.#database.query<Row>(text, [...values])).rows;
  }

  exec(text: string): Promise<unknown> {
    return this.#database.exec(text);
  }

  /** Begins a schedule: without connections, with an open session. */
  async begin(schedule: Schedule): Promise<void> {
    await this.#database.exec("rollback");
    this.#schedule = schedule;
    this.#connections.clear();
    this.#queue = [];
    this.#owner = undefined;
    this.#isRunning = false;
    this.#clock = "";
    this.offsetMs = 0;
    this.faults = noDatabaseFaults;
  }

  /** Whether no transaction is open, and no statement runs. */
  get isIdle(): boolean {
    return this.#owner === undefined && !this.#isRunning;
  }

  get nowMs(): number {
    return startedAt + this.#scheduled.nowMs + this.offsetMs;
  }

  get #scheduled(): Schedule {
    if (this.#schedule === undefined) throw new Error("no schedule runs");
    return this.#schedule;
  }

  connect(process: Process): Connection {
    const connection = new Connection(process);
    this.#connections.add(connection);
    process.onStop.push(() =>
      this.#scheduled.at(undefined, this.#scheduled.latencyMs(), "drop", () => this.#lose(connection)),
    );
    return connection;
  }

  /** The server runs the statement after a while, and the process gets the reply after another. */
  send(connection: Connection, text: string, values: readonly unknown[]): Promise<Result | Result[]> {
    const schedule = this.#scheduled;
    const { process } = connection;
    return new Promise((resolve, reject) => {
      const reply: Request["reply"] = (error, result) => {
        schedule.at(process, schedule.latencyMs(), error ? "error" : "reply", () =>
          error ? reject(error) : resolve(result as Result),
        );
      };
      const isCommit = /^commit$/i.test(text);
      const isSlow = isCommit && schedule.chance(this.faults.slowCommits);
      const delayMs = schedule.latencyMs() + (isSlow ? schedule.between(100, 3_000) : 0);
      schedule.at(undefined, delayMs, "statement", () => {
        if (schedule.chance(this.faults.lostStatements)) {
          this.onFault(process, 2_000);
          this.#lose(connection);
        }
        if (connection.isLost) return reply(lost());
        this.#queue.push({ connection, text, values, arrivedAtMs: schedule.nowMs, reply });
        this.#pump();
      });
    });
  }

  /** The connection ends: its transaction is rolled back, and its client gets an error. */
  #lose(connection: Connection): void {
    if (connection.isLost) return;
    connection.isLost = true;
    this.#connections.delete(connection);
    for (const { reply } of this.#queue.filter((request) => request.connection === connection)) reply(lost());
    this.#queue = this.#queue.filter((request) => request.connection !== connection);
    if (this.#owner === connection && !this.#isRunning) this.#rollBack(connection);
    this.#scheduled.at(connection.process, 0, "lost", () => {
      if (connection.listenerCount("error") > 0) connection.emit("error", lost());
      connection.emit("end");
    });
  }

  #rollBack(connection: Connection): void {
    this.#isRunning = true;
    this.#scheduled.at(undefined, 0, "rollback", async () => {
      await this.#database.exec("rollback");
      this.#clock = "";
      connection.isInTransaction = false;
      this.#owner = undefined;
      this.#isRunning = false;
      this.#pump();
    });
  }

  #pump(): void {
    if (this.#isRunning) return;
    const mayRun = this.#queue.filter(({ connection }) => this.#owner === undefined || this.#owner === connection);
    if (mayRun.length === 0) return;
    const chosen = this.#scheduled.pick(mayRun);
    // A connection's own statements stay in their order.
    const request = mayRun.find(({ connection }) => connection === chosen.connection) ?? chosen;
    this.#queue.splice(this.#queue.indexOf(request), 1);
    this.#isRunning = true;
    this.#scheduled.at(undefined, 0, "execute", () => this.#execute(request));
  }

  async #execute({ connection, text, values, arrivedAtMs, reply }: Request): Promise<void> {
    const schedule = this.#scheduled;
    // Another process had stalled, or was slow, in the middle of a transaction.
    if (schedule.nowMs - arrivedAtMs > longWaitMs) this.onFault(undefined, 0);
    let error: Error | undefined;
    let result: Result | Result[] | undefined;
    try {
      result = await this.#run(connection, text, values);
    } catch (cause) {
      error = cause as Error;
      connection.hasFailed = true;
      this.#clock = "";
      if (!connection.isInTransaction) await this.#database.exec("rollback");
    }
    this.#isRunning = false;
    this.#owner = connection.isInTransaction ? connection : undefined;
    if (connection.isLost) {
      if (connection.isInTransaction) this.#rollBack(connection);
    } else if (schedule.chance(this.faults.lostReplies)) {
      this.onFault(connection.process, 2_000);
      this.#lose(connection);
      reply(lost());
    } else {
      reply(error, result);
      if (connection.isInTransaction) this.#watchIdle(connection);
    }
    this.#pump();
  }

  /** As `idle_in_transaction_session_timeout`: one session cannot end itself. */
  #watchIdle(connection: Connection): void {
    connection.idleSince = this.#scheduled.nowMs;
    const { idleSince } = connection;
    this.#scheduled.at(undefined, connection.idleLimitMs, "idle", () => {
      const isIdle = connection.isInTransaction && connection.idleSince === idleSince && !this.#isRunning;
      if (isIdle && !this.#queue.some((request) => request.connection === connection)) this.#lose(connection);
    });
  }

  async #run(connection: Connection, text: string, values: readonly unknown[]): Promise<Result | Result[]> {
    connection.idleSince = -1;
    const isBegin = /^begin\b/i.test(text);
    const isEnd = /^(commit|rollback)$/i.test(text);
    if (!connection.isInTransaction) connection.beganAtMs = this.nowMs;
    if (isBegin) {
      Object.assign(connection, { isInTransaction: true, hasFailed: false, idleLimitMs: defaultIdleMs });
      this.#owner = connection;
    }
    if (text.includes("idle_in_transaction_session_timeout")) connection.idleLimitMs = 2_000;
    if (!isBegin && !isEnd && !connection.hasFailed) await this.#setClock(connection);
    if (isBegin && text.includes(";")) await this.#setClock(connection);
    if (values.length > 0) {
      const { rows, affectedRows = 0 } = await this.#statements.run(text, values);
      return { command: "", rowCount: affectedRows, rows, fields: [] };
    }
    const results = await this.#database.exec(text);
    if (/(^|;)rollback$/i.test(text) || connection.hasFailed) this.#clock = "";
    const command = isEnd && connection.hasFailed ? "ROLLBACK" : text.toUpperCase();
    if (isEnd) Object.assign(connection, { isInTransaction: false, hasFailed: false });
    const all = results.map(({ rows, affectedRows = 0 }) => ({
      command,
      rowCount: affectedRows,
      rows: rows as Record<string, unknown>[],
      fields: [] as never[],
    }));
    return all.length === 1 ? (all[0] as Result) : all;
  }

  async #setClock({ beganAtMs }: Connection): Promise<void> {
    const [now, clock] = [new Date(beganAtMs).toISOString(), new Date(this.nowMs).toISOString()];
    if (this.#clock === now + clock) return;
    this.#clock = now + clock;
    const set = "select set_config('simulated.now', $1, false), set_config('simulated.clock', $2, false)";
    await this.#statements.run(set, [now, clock]);
  }

  /** NOTIFY reaches the other processes that listen, each by its own delay, or not at all. */
  notify(payload: string): void {
    for (const connection of this.#connections) {
      if (!connection.isListening || this.#scheduled.chance(this.faults.lostNotifications)) continue;
      this.#scheduled.at(connection.process, this.#scheduled.latencyMs(), "notification", () =>
        connection.emit("notification", { payload }),
      );
    }
  }
}
