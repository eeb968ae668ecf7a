import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy on loopback that can break its connections. */
export interface TcpProxy {
  /** The URL to use instead of the target address. */
  address: string;
  /** All bytes that clients have sent to the proxy before `silence()`, decoded as Latin-1. */
  sent: string;
  /** Destroys every connection and rejects new ones. */
  cut(): void;
  /** Accepts connections again. */
  restore(): void;
  /** Stops forwarding on open connections without closing them. New connections still work. */
  silence(): void;
  close(): Promise<void>;
}

export async function openTcpProxy(targetAddress: string): Promise<TcpProxy> {
  const target = new URL(targetAddress);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const upstream = connect(Number(target.port), target.hostname);
    client.on("data", (bytes) => {
      proxy.sent += bytes.toString("latin1");
    });
    client.pipe(upstream).pipe(client);
    for (const [socket, peer] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => peer.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        peer.destroy();
      });
    }
  });
  const pauseAll = (): void => {
    for (const socket of sockets) socket.unpipe().removeAllListeners("data").pause();
  };
  const destroyAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxy: TcpProxy = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: "",
    cut() {
      isCut = true;
      destroyAll();
    },
    restore() {
      isCut = false;
    },
    silence: pauseAll,
    async close() {
      destroyAll();
      server.close();
      await once(server, "close");
    },
  };
  return proxy;
}
