import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** Returns the wanted port if it is free on 127.0.0.1, otherwise any free port. */
export async function findFreePort(wanted: number): Promise<number> {
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
  throw new Error("no port on 127.0.0.1 is free");
}
