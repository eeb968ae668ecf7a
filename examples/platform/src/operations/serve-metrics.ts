import { once } from "node:events";
import { createServer } from "node:http";
import { addressOf } from "../http/address-of.ts";
import { SettingError } from "../setting-error.ts";
import type { Metrics } from "./metrics.ts";

/** Where the metrics are served: never the platform's own door, so that no stranger gets to them by way of a proxy. */
export interface MetricsPlace {
  host: string;
  port: number;
}

export interface MetricsServer {
  address: string;
  close(): Promise<void>;
}

/**
 * `GET /metrics`, and nothing else.
 *
 * @throws {SettingError} when the place is taken
 */
export async function serveMetrics(metrics: Metrics, { host, port }: MetricsPlace): Promise<MetricsServer> {
  const server = createServer(async ({ method, url }, response) => {
    if (method !== "GET" || url?.split("?")[0] !== "/metrics") return void response.writeHead(404).end();
    const { contentType, text } = await metrics.read();
    response.writeHead(200, { "content-type": contentType, "cache-control": "no-store" }).end(text);
  });
  server.listen(port, host);
  await once(server, "listening").catch((cause: NodeJS.ErrnoException) => {
    throw new SettingError(`OFFERS_METRICS names a place that cannot be used (${cause.code}); name another`, { cause });
  });
  return {
    address: addressOf(server),
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
