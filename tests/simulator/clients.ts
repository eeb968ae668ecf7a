import { EventEmitter } from "node:events";
import pg from "pg";
import { type Cancellable, currentProcess, type Process } from "./schedule.ts";

export interface Result {
  command: string;
  rowCount: number;
  rows: Record<string, unknown>[];
  fields: never[];
}

/** The server's side of a client. */
export class Connection extends EventEmitter {
  isLost = false;
  isInTransaction = false;
  /** When a transaction started that has no statement yet. It holds no locks. */
  begunAtMs: number | undefined;
  isListening = false;
  /** The time until the server ends it within a transaction. */
  idleLimitMs = 0;
  /** That end, while it waits for the next statement. */
  idle: Cancellable | undefined;
  readonly process: Process;

  constructor(process: Process) {
    super();
    this.process = process;
    this.setMaxListeners(0);
  }
}

/** What clients need of the server. */
export interface Server {
  connect(process: Process): Connection;
  send(connection: Connection, text: string, values: readonly unknown[]): Promise<Result | Result[]>;
  notify(payload: string): void;
}

/** From now on, pools and clients of npm `pg` reach this server. */
export function replaceClients(server: Server): void {
  pg.Pool = poolOf(server) as unknown as typeof pg.Pool;
  pg.Client = clientOf(server) as unknown as typeof pg.Client;
}

type QueryConfig = string | { text: string; values?: unknown[] };

/** The methods of a client of npm `pg` that the platform and the kit use. */
function clientOf(server: Server) {
  return class Client extends EventEmitter {
    readonly connection = server.connect(currentProcess());

    constructor() {
      super();
      this.setMaxListeners(0);
      for (const name of ["error", "end", "notification"] as const)
        this.connection.on(name, (value) => {
          if (name !== "error" || this.listenerCount("error") > 0) this.emit(name, value);
        });
    }

    async connect(): Promise<void> {}

    async query(config: QueryConfig, values?: unknown[]): Promise<unknown> {
      const { text, values: given = [] } = typeof config === "string" ? { text: config, values } : config;
      // Every pool of the platform discards plans once a second; PGlite has one session, whose tables are small.
      if (text === "discard plans") return { rows: [] };
      if (text.startsWith("listen ")) this.connection.isListening = true;
      if (text.startsWith("listen ") || text === "select 1") return { rows: [] };
      if (text !== "select pg_notify($1, $2)") return server.send(this.connection, text, given);
      server.notify(String(given[1]));
      return { rows: [] };
    }

    escapeIdentifier = (name: string): string => `"${name}"`;

    async end(): Promise<void> {
      this.connection.isListening = false;
      this.connection.emit("end");
    }

    release(): void {}
  };
}

function poolOf(server: Server) {
  const Client = clientOf(server);
  type PoolClient = InstanceType<typeof Client>;
  return class Pool extends EventEmitter {
    readonly options = {};
    readonly totalCount = 0;
    readonly ending = false;
    #idle: PoolClient[] = [];

    async connect(): Promise<PoolClient> {
      const process = currentProcess();
      // A connection belongs to the process that opened it: the simulator lends one pool to several processes in turn.
      this.#idle = this.#idle.filter(({ connection }) => connection.process === process && !connection.isLost);
      const client = this.#idle.pop() ?? new Client();
      client.release = () => void this.#idle.push(client);
      return client;
    }

    async query(config: QueryConfig, values?: unknown[]): Promise<unknown> {
      const client = await this.connect();
      try {
        return await client.query(config, values);
      } finally {
        client.release();
      }
    }

    async end(): Promise<void> {}
  };
}
