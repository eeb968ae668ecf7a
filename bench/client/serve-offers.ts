import { ForkedProcess } from "../../scripts/processes/forked-process.ts";
import { pathPrefix } from "./path-prefix.ts";

/** Starts a process that responds to both measured calls on a loopback port. */
export async function serveOffers(): Promise<{ baseUrl: string; close(): Promise<void> }> {
  const child = new ForkedProcess(new URL("offer-server.ts", import.meta.url));
  return {
    baseUrl: `http://127.0.0.1:${await child.waitForMessage<number>()}${pathPrefix}`,
    close: () => child.stop(),
  };
}
