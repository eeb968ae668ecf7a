import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** The wanted port of 127.0.0.1 if it is free, otherwise any free one. */
export async function freePort(wanted: number): Promise<number> {
  for (const port of [wanted, 0]) {
    const server = createServer().listen(port, "127.0.0.1");
    try {
      await once(server, "listening");
    } catch {
      continue;
    }
    const { port: free } = server.address() as AddressInfo;
    server.close();
    await once(server, "close");
    return free;
  }
  throw new Error("no port of 127.0.0.1 is free");
}
