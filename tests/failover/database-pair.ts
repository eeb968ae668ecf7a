import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { OwnPostgres } from "../../scripts/processes/own-postgres.ts";

/** Forwards connections to one PostgreSQL server, like HAProxy or a virtual IP address. */
class DatabaseProxy {
  readonly url: string;
  port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(port: number, server: Server) {
    this.port = port;
    this.#server = server;
    this.url = `postgres://postgres@127.0.0.1:${(server.address() as AddressInfo).port}/postgres`;
    server.on("connection", (client) => {
      const upstream = connect(this.port, "127.0.0.1");
      for (const [socket, peer] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.#sockets.add(socket);
        socket.on("error", () => peer.destroy());
        socket.on("close", () => {
          this.#sockets.delete(socket);
          peer.destroy();
        });
      }
      client.pipe(upstream).pipe(client);
    });
  }

  static async open(port: number): Promise<DatabaseProxy> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new DatabaseProxy(port, server);
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** How long a fast failover manager takes to notice that the primary is down. */
const noticeAfterMs = 1_000;

/** A primary with a synchronous standby, behind a proxy. */
export class DatabasePair {
  #primary: OwnPostgres;
  #standby: OwnPostgres;
  readonly #proxy: DatabaseProxy;

  private constructor(primary: OwnPostgres, standby: OwnPostgres, proxy: DatabaseProxy) {
    this.#primary = primary;
    this.#standby = standby;
    this.#proxy = proxy;
  }

  static async start(): Promise<DatabasePair> {
    const primary = await OwnPostgres.create();
    const pair = new DatabasePair(primary, await createStandby(primary), await DatabaseProxy.open(primary.port));
    await pair.#makeSynchronous();
    return pair;
  }

  get url(): string {
    return this.#proxy.url;
  }

  /** Kills the primary with SIGKILL, promotes the standby and points the proxy to it, as a failover manager does. */
  async failOver(): Promise<void> {
    await this.#primary.kill();
    await pause(noticeAfterMs);
    await this.#standby.query("select pg_promote()");
    this.#proxy.port = this.#standby.port;
  }

  /** Removes the killed primary, and creates a standby for the new one. A failover before this resolves could lose commits. */
  async replaceStandby(): Promise<void> {
    await this.#primary.remove();
    this.#primary = this.#standby;
    this.#standby = await createStandby(this.#primary);
    await this.#makeSynchronous();
  }

  async stop(): Promise<void> {
    this.#proxy.close();
    await this.#standby.remove();
    await this.#primary.remove();
  }

  async #makeSynchronous(): Promise<void> {
    await this.#primary.query("alter system set synchronous_standby_names = '*'");
    await this.#primary.query("select pg_reload_conf()");
    const selectSynchronous = "select from pg_stat_replication where sync_state = 'sync'";
    while ((await this.#primary.query(selectSynchronous)).length === 0) await pause(50);
  }
}

/** Creates a standby. When promoted, it must not wait for a synchronous standby at each commit, because it has none yet. */
async function createStandby(primary: OwnPostgres): Promise<OwnPostgres> {
  const standby = await OwnPostgres.createStandby(primary, "standby");
  await standby.query("alter system set synchronous_standby_names = ''");
  await standby.query("select pg_reload_conf()");
  return standby;
}
