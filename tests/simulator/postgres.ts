import { Connection, type Result, replaceClients, type Server } from "./clients.ts";
import { type Process, type Schedule, startedAt } from "./schedule.ts";
import { Session } from "./session.ts";

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

/** How long a connection may be idle within a transaction before the server closes it. */
const idleLimitMs = 2_000;
/** How long a statement may wait for other transactions before leases may have ended unnoticed. */
const longWaitMs = 500;
const connectionLostError = (): Error =>
  Object.assign(new Error("Connection terminated unexpectedly"), { code: "ECONNRESET" });

/**
 * One PostgreSQL server for all simulated processes, which connect to it through npm `pg`. It is a PGlite database, whose only session runs
 * their transactions one after another, in virtual time.
 */
export class SimulatedPostgres implements Server {
  /** How far the server's clock is ahead of virtual time. */
  offsetMs = 0;
  faults = noDatabaseFaults;
  /** Called when a fault may have delayed the renewal of a process's leases, or of all leases if the process is undefined. */
  onFault: (process: Process | undefined, durationMs: number) => void = () => undefined;
  readonly #session: Session;
  #schedule: Schedule | undefined;
  #connections = new Set<Connection>();
  #queue: Request[] = [];
  /** The connection whose transaction is open. */
  #owner: Connection | undefined;
  #isRunning = false;

  private constructor(session: Session) {
    this.#session = session;
  }

  static async open(): Promise<SimulatedPostgres> {
    const server = new SimulatedPostgres(await Session.open());
    replaceClients(server);
    return server;
  }

  /** Runs a query immediately, outside the schedule. */
  query<Row>(text: string, values: readonly unknown[] = []): Row[] {
    return (this.#session.run(this.nowMs, text, values) as Result).rows as Row[];
  }

  /** Makes all tables unlogged after the migrations, because the write-ahead log would fill the memory. */
  makeTablesUnlogged(): void {
    // The oids of system tables are below 16384.
    const selectLogged =
      "select oid::regclass::text as name from pg_class where relkind = 'r' and relpersistence = 'p' and oid >= 16384";
    // A logged table cannot reference an unlogged table, so a table can be changed only after the tables that reference it.
    let tables = this.query<{ name: string }>(selectLogged);
    while (tables.length > 0) {
      for (const { name } of tables)
        try {
          this.query(`alter table ${name} set unlogged`);
        } catch {
          // A logged table still references this table. The next pass tries again.
        }
      tables = this.query(selectLogged);
    }
  }

  /** Resets the server for a new schedule: rolls back, and clears the connections, the queue and the faults. */
  startSchedule(schedule: Schedule): void {
    this.#schedule = schedule;
    this.#session.run(this.nowMs, "rollback");
    this.#connections.clear();
    this.#queue = [];
    this.#owner = undefined;
    this.#isRunning = false;
    this.offsetMs = 0;
    this.faults = noDatabaseFaults;
  }

  /** Whether no transaction is open and no statement is running. */
  get isIdle(): boolean {
    return this.#owner === undefined && !this.#isRunning;
  }

  get nowMs(): number {
    return startedAt + this.#currentSchedule.nowMs + this.offsetMs;
  }

  /** Returns the current schedule. @throws if no schedule was started */
  get #currentSchedule(): Schedule {
    if (this.#schedule === undefined) throw new Error("no schedule is running");
    return this.#schedule;
  }

  connect(process: Process): Connection {
    const connection = new Connection(process);
    this.#connections.add(connection);
    process.onStop.push(() =>
      this.#currentSchedule.after(undefined, this.#currentSchedule.latencyMs(), "drop", () =>
        this.#loseConnection(connection),
      ),
    );
    return connection;
  }

  /** Sends a statement, which the server runs after a delay. The process gets the reply after a second delay. */
  send(connection: Connection, text: string, values: readonly unknown[]): Promise<Result | Result[]> {
    const schedule = this.#currentSchedule;
    const { process } = connection;
    return new Promise((resolve, reject) => {
      const reply: Request["reply"] = (error, result) => {
        schedule.after(process, schedule.latencyMs(), error ? "error" : "reply", () =>
          error ? reject(error) : resolve(result as Result),
        );
      };
      const isCommit = /^commit$/i.test(text);
      const isSlow = isCommit && schedule.chance(this.faults.slowCommits);
      const delayMs = schedule.latencyMs() + (isSlow ? schedule.between(100, 3_000) : 0);
      schedule.after(undefined, delayMs, "statement", () => {
        if (schedule.chance(this.faults.lostStatements)) {
          this.onFault(process, 2_000);
          this.#loseConnection(connection);
        }
        if (connection.isLost) return reply(connectionLostError());
        this.#queue.push({ connection, text, values, arrivedAtMs: schedule.nowMs, reply });
        this.#runNext();
      });
    });
  }

  /** Closes the connection, rolls back its transaction, and sends its client an error. */
  #loseConnection(connection: Connection): void {
    if (connection.isLost) return;
    connection.isLost = true;
    this.#connections.delete(connection);
    for (const { reply } of this.#queue.filter((request) => request.connection === connection))
      reply(connectionLostError());
    this.#queue = this.#queue.filter((request) => request.connection !== connection);
    if (this.#owner === connection && !this.#isRunning) this.#rollBack(connection);
    this.#currentSchedule.after(connection.process, 0, "lost", () => {
      if (connection.listenerCount("error") > 0) connection.emit("error", connectionLostError());
      connection.emit("end");
    });
  }

  #rollBack(connection: Connection): void {
    this.#isRunning = true;
    this.#currentSchedule.after(undefined, 0, "rollback", () => {
      this.#session.run(this.nowMs, "rollback");
      connection.isInTransaction = false;
      this.#owner = undefined;
      this.#isRunning = false;
      this.#runNext();
    });
  }

  /** Runs a random waiting statement. While a transaction is open, only statements of its connection may run. */
  #runNext(): void {
    if (this.#isRunning) return;
    const candidates = this.#queue.filter(({ connection }) => this.#owner === undefined || this.#owner === connection);
    if (candidates.length === 0) return;
    const chosen = this.#currentSchedule.pick(candidates);
    // The statements of one connection run in order.
    const request = candidates.find(({ connection }) => connection === chosen.connection) ?? chosen;
    this.#queue.splice(this.#queue.indexOf(request), 1);
    this.#isRunning = true;
    this.#currentSchedule.after(undefined, 0, "execute", () => this.#execute(request));
  }

  /** Runs the chosen statement, and replies unless the connection is lost. */
  #execute({ connection, text, values, arrivedAtMs, reply }: Request): void {
    const schedule = this.#currentSchedule;
    // Another process stalled or was slow during a transaction.
    if (schedule.nowMs - arrivedAtMs > longWaitMs) this.onFault(undefined, 0);
    let error: Error | undefined;
    let result: Result | Result[] | undefined;
    try {
      result = this.#runStatement(connection, text, values);
    } catch (cause) {
      error = cause as Error;
      // If several statements are sent together, the first may have started a transaction.
      if (!connection.isInTransaction) this.#session.run(this.nowMs, "rollback");
    }
    this.#isRunning = false;
    this.#owner = connection.isInTransaction ? connection : undefined;
    if (connection.isLost) {
      if (connection.isInTransaction) this.#rollBack(connection);
    } else if (schedule.chance(this.faults.lostReplies)) {
      this.onFault(connection.process, 2_000);
      this.#loseConnection(connection);
      reply(connectionLostError());
    } else {
      reply(error, result);
      if (connection.isInTransaction) this.#watchIdle(connection);
    }
    this.#runNext();
  }

  /** Emulates `idle_in_transaction_session_timeout`, because PGlite's only session cannot be closed. */
  #watchIdle(connection: Connection): void {
    const isWaiting = (): boolean => this.#queue.some((request) => request.connection === connection);
    connection.idleTimer = this.#currentSchedule.after(undefined, idleLimitMs, "idle", () => {
      if (connection.isInTransaction && !this.#isRunning && !isWaiting()) this.#loseConnection(connection);
    });
  }

  /**
   * Runs a statement in the session. Delays a plain `begin` until the next statement, because the transaction has no locks until then.
   * Updates the connection's transaction.
   */
  #runStatement(connection: Connection, text: string, values: readonly unknown[]): Result | Result[] {
    connection.idleTimer?.cancel();
    // Planner settings have no effect, because the session always uses generic plans. The idle limit is emulated.
    if (/^begin(; set local \w+ = '\w+')*$/i.test(text)) {
      connection.transactionStartMs = this.nowMs;
      return { command: "BEGIN", rowCount: 0, rows: [], fields: [] };
    }
    if (connection.transactionStartMs !== undefined || /^begin\b/i.test(text)) {
      connection.isInTransaction = true;
      this.#owner = connection;
    }
    if (connection.transactionStartMs !== undefined) this.#session.run(connection.transactionStartMs, "begin");
    connection.transactionStartMs = undefined;
    const endsTransaction = /^(commit|rollback)$/i.test(text);
    const result = this.#session.run(this.nowMs, text, values);
    if (endsTransaction) connection.isInTransaction = false;
    return result;
  }

  /** Notifies the listening processes, each after a separate delay, or not at all. */
  notify(payload: string): void {
    for (const connection of this.#connections) {
      if (!connection.isListening || this.#currentSchedule.chance(this.faults.lostNotifications)) continue;
      this.#currentSchedule.after(connection.process, this.#currentSchedule.latencyMs(), "notification", () =>
        connection.emit("notification", { payload }),
      );
    }
  }
}
