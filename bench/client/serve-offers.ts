import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { pathPrefix } from "./path-prefix.ts";

/** A server on loopback that knows one offer. */
export async function serveOffers(): Promise<{ baseUrl: string; close(): Promise<void> }> {
  const child = fork(fileURLToPath(new URL("offer-server.ts", import.meta.url)));
  const failed = once(child, "exit").then(() => {
    throw new Error("The server did not start.");
  });
  const [port] = (await Promise.race([once(child, "message"), failed])) as [number];
  failed.catch(() => {});
  return {
    baseUrl: `http://127.0.0.1:${port}${pathPrefix}`,
    async close() {
      child.disconnect();
      await once(child, "exit");
    },
  };
}
