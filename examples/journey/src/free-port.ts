import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** Returns the preferred port if it is free on 127.0.0.1, otherwise any free port. */
export async function findFreePort(preferredPort: number): Promise<number> {
  for (const port of [preferredPort, 0]) {
    const server = createServer().listen(port, "127.0.0.1");
    try {
      await once(server, "listening");
    } catch {
      // The port is in use.
      continue;
    }
    const { port: freePort } = server.address() as AddressInfo;
    server.close();
    await once(server, "close");
    return freePort;
  }
  throw new Error("no port on 127.0.0.1 is free");
}
