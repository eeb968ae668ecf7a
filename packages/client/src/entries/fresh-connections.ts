import { buildConnector, Client, type Dispatcher } from "undici";
import { maxIdleMs } from "../generated/decisions.ts";

/** A time on two clocks. The monotonic clock may stop while a machine is suspended, and the wall clock may be changed. */
export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

const readClocks = (): Moment => ({ monotonicMs: performance.now(), wallMs: Date.now() });

interface Connection {
  readonly client: Client;
  /** The number of requests that are in progress or queued. */
  pendingCount: number;
  idleSince: Moment;
}

/**
 * Connections for requests that must not be sent twice. A connection that has been idle for `maxIdleMs` (D-142) is not reused, because a
 * load balancer, a NAT or the service may have dropped it. A request on a dropped connection would be lost without a trace.
 */
export class FreshConnections {
  readonly #limit: number;
  readonly #now: () => Moment;
  /** The connections, by origin. The one whose last request ended most recently is last. */
  readonly #connections = new Map<string, Connection[]>();
  /** Shared by all connections, because it caches TLS sessions. */
  readonly #connect = buildConnector({ allowH2: false });
  #isClosed = false;

  /** @param limit the maximum number of connections to one origin; further requests queue */
  constructor(limit: number, now: () => Moment = readClocks) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Sends a request. The handler must call `release` when the request has ended. */
  dispatch(
    origin: string,
    options: Dispatcher.DispatchOptions,
    createHandler: (release: () => void) => Dispatcher.DispatchHandler,
  ): void {
    const connection = this.#acquire(origin);
    connection.pendingCount += 1;
    const handler = createHandler(() => this.#release(origin, connection));
    connection.client.dispatch(options, handler);
  }

  /** Waits for pending requests, then closes all connections. New requests fail before they are written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#connections.values()].flat().map(({ client }) => client.close()));
  }

  /** Returns the connection for the next request, and closes idle connections that must not be reused. */
  #acquire(origin: string): Connection {
    const connections = this.#connections.get(origin) ?? [];
    const usableConnections = connections.filter(
      (connection) => connection.pendingCount > 0 || this.#isFresh(connection),
    );
    for (const connection of connections) if (!usableConnections.includes(connection)) void connection.client.close();
    this.#connections.set(origin, usableConnections);
    const idleConnection = usableConnections.findLast(({ pendingCount }) => pendingCount === 0);
    if (idleConnection) return idleConnection;
    // All connections are busy, so the request queues on the connection with the fewest requests.
    if (usableConnections.length >= this.#limit)
      return usableConnections.reduce((a, b) => (b.pendingCount < a.pendingCount ? b : a));
    const client = new Client(origin, {
      connect: this.#connect,
      // undici closes idle connections after this time, unless the process was frozen. `#isFresh` handles that case.
      keepAliveTimeout: maxIdleMs,
      keepAliveMaxTimeout: maxIdleMs,
    });
    // A closed client rejects the request before it is written.
    if (this.#isClosed) void client.close();
    const connection = { client, pendingCount: 0, idleSince: this.#now() };
    usableConnections.push(connection);
    return connection;
  }

  /** Returns whether the connection has been idle for less than `maxIdleMs`, according to both clocks. */
  #isFresh({ idleSince }: Connection): boolean {
    const now = this.#now();
    const monotonicIdleMs = now.monotonicMs - idleSince.monotonicMs;
    const wallIdleMs = now.wallMs - idleSince.wallMs;
    // If the wall clock was set back, it cannot show how long the connection was idle.
    return monotonicIdleMs < maxIdleMs && wallIdleMs >= 0 && wallIdleMs < maxIdleMs;
  }

  #release(origin: string, connection: Connection): void {
    connection.pendingCount -= 1;
    connection.idleSince = this.#now();
    const connections = this.#connections.get(origin) ?? [];
    const index = connections.indexOf(connection);
    if (index < 0) return;
    // Move it to the end, so that it is reused first.
    connections.splice(index, 1);
    connections.push(connection);
  }
}
