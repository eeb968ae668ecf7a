import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** What lies between two who talk, and can be cut. */
export interface Cable {
  /** To be used in place of the address that it leads to. */
  address: string;
  /** What came through it from this side. */
  sent: string;
  /** Every connection breaks, and no new one is had. */
  cut(): void;
  mend(): void;
  /** Nothing more comes through the connections there are, and neither end hears of that; new ones work. */
  silence(): void;
  close(): Promise<void>;
}

export async function openCable(targetAddress: string): Promise<Cable> {
  const target = new URL(targetAddress);
  const ends = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(Number(target.port), target.hostname);
    near.on("data", (bytes) => {
      cable.sent += bytes.toString("latin1");
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
  const cable: Cable = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: "",
    cut() {
      isCut = true;
      cutAll();
    },
    mend() {
      isCut = false;
    },
    silence: silenceAll,
    async close() {
      cutAll();
      server.close();
      await once(server, "close");
    },
  };
  return cable;
}
