import { once } from "node:events";
import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import type { AddressInfo } from "node:net";

export interface ListeningServer {
  address: string;
  server: Server;
  /** Closes the server and every connection. */
  close(): Promise<void>;
}

/** Serves a listener on a free loopback port. */
export async function listen(listener?: RequestListener, options: ServerOptions = {}): Promise<ListeningServer> {
  const server = createServer(options, listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
