import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy on loopback that can break its connections. */
export interface TcpProxy {
  /** The address to use instead of the target's. */
  address: string;
  /** All bytes that clients have sent through it, decoded as Latin-1. */
  sent: string;
  /** Destroys every connection and rejects new ones. */
  cut(): void;
  /** Accepts connections again. */
  restore(): void;
  /** Stops forwarding on open connections without closing them; new connections work. */
  silence(): void;
  close(): Promise<void>;
}

export async function openTcpProxy(targetAddress: string): Promise<TcpProxy> {
  const target = new URL(targetAddress);
  const ends = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(Number(target.port), target.hostname);
    near.on("data", (bytes) => {
      proxy.sent += bytes.toString("latin1");
    });
    near.pipe(far).pipe(near);
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(end);
      end.on("error", () => other.destroy());
      end.on("close", () => {
        ends.delete(end);
        other.destroy();
      });
    }
  });
  const silenceAll = (): void => {
    for (const end of ends) end.unpipe().removeAllListeners("data").pause();
  };
  const cutAll = (): void => {
    for (const end of ends) end.destroy();
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxy: TcpProxy = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: "",
    cut() {
      isCut = true;
      cutAll();
    },
    restore() {
      isCut = false;
    },
    silence: silenceAll,
    async close() {
      cutAll();
      server.close();
      await once(server, "close");
    },
  };
  return proxy;
}
