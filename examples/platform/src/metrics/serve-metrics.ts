import { once } from "node:events";
import { createServer } from "node:http";
import { addressOf } from "../http/address-of.ts";
import { listen } from "../http/listen.ts";
import type { Metrics } from "./metrics.ts";

/** Where metrics are served: never on the platform's own port, which a proxy may expose. */
export interface MetricsPlace {
  host: string;
  port: number;
}

export const metricsSettings = { host: "OFFERS_METRICS", port: "OFFERS_METRICS" };

export interface MetricsServer {
  address: string;
  close(): Promise<void>;
}

/**
 * Serves `GET /metrics` only.
 *
 * @throws {SettingError} when the port is in use
 */
export async function serveMetrics(metrics: Metrics, place: MetricsPlace): Promise<MetricsServer> {
  const server = createServer(async ({ method, url }, response) => {
    if (method !== "GET" || url?.split("?")[0] !== "/metrics") return void response.writeHead(404).end();
    const { contentType, text } = await metrics.read();
    response.writeHead(200, { "content-type": contentType, "cache-control": "no-store" }).end(text);
  });
  await listen(server, { ...place, settings: metricsSettings });
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
