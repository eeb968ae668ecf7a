import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { serverUrl } from "../../src/settings/serve.ts";

export interface TestServer {
  baseAddress: string;
  close(): Promise<void>;
}

/** Starts an HTTP server on a free loopback port that passes its requests to the listener. */
export async function serve(listener: RequestListener): Promise<TestServer> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseAddress: serverUrl(server),
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
