import { EventEmitter } from "node:events";
import pg from "pg";
import { type Cancellable, currentProcess, type Process } from "./schedule.ts";

export interface Result {
  command: string;
  rowCount: number;
  rows: Record<string, unknown>[];
  fields: never[];
}

/** The server's state for one client. */
export class Connection extends EventEmitter {
  isLost = false;
  isInTransaction = false;
  /** When the open transaction began, if it has not run a statement yet. A statement may acquire locks. */
  transactionStartMs: number | undefined;
  isListening = false;
  /** Closes the connection after the idle limit, unless another statement arrives first. */
  idleTimer: Cancellable | undefined;
  readonly process: Process;

  constructor(process: Process) {
    super();
    this.process = process;
    this.setMaxListeners(0);
  }
}

/** The server's methods that clients call. */
export interface Server {
  connect(process: Process): Connection;
  send(connection: Connection, text: string, values: readonly unknown[]): Promise<Result | Result[]>;
  notify(payload: string): void;
}

/** Replaces npm `pg`'s pools and clients with classes that connect to this server. */
export function replaceClients(server: Server): void {
  pg.Pool = createPoolClass(server) as unknown as typeof pg.Pool;
  pg.Client = createClientClass(server) as unknown as typeof pg.Client;
}

type QueryConfig = string | { text: string; values?: unknown[] };

/** Creates a client class with the methods of npm `pg` that the platform and the kit use. */
function createClientClass(server: Server) {
  return class Client extends EventEmitter {
    readonly connection = server.connect(currentProcess());

    constructor() {
      super();
      this.setMaxListeners(0);
      for (const name of ["error", "end", "notification"] as const)
        this.connection.on(name, (value) => {
          // Without a listener, emitting "error" would throw.
          if (name !== "error" || this.listenerCount("error") > 0) this.emit(name, value);
        });
    }

    async connect(): Promise<void> {}

    async query(config: QueryConfig, values?: unknown[]): Promise<unknown> {
      const { text, values: parameters = [] } = typeof config === "string" ? { text: config, values } : config;
      // The platform's pools discard plans every second. With tables as small as these, plans need not change.
      if (text === "discard plans") return { rows: [] };
      if (text.startsWith("listen ")) this.connection.isListening = true;
      if (text.startsWith("listen ") || text === "select 1") return { rows: [] };
      if (text !== "select pg_notify($1, $2)") return server.send(this.connection, text, parameters);
      server.notify(String(parameters[1]));
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

/** Creates a pool class with the methods of npm `pg` that the platform and the kit use. */
function createPoolClass(server: Server) {
  const Client = createClientClass(server);
  type PoolClient = InstanceType<typeof Client>;
  return class Pool extends EventEmitter {
    readonly options = {};
    readonly totalCount = 0;
    readonly ending = false;
    #idleClients: PoolClient[] = [];

    async connect(): Promise<PoolClient> {
      const process = currentProcess();
      // The simulator lends one pool to several processes in turn, but a connection belongs to the process that opened it.
      this.#idleClients = this.#idleClients.filter(
        ({ connection }) => connection.process === process && !connection.isLost,
      );
      const client = this.#idleClients.pop() ?? new Client();
      client.release = () => void this.#idleClients.push(client);
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
