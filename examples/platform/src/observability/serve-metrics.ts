import { type Address, type HttpServer, serve } from "../settings/serve.ts";
import type { Metrics } from "./metrics.ts";

/**
 * Serves `GET /metrics` on an address of its own: a proxy may expose the platform's own port.
 *
 * @throws {SettingError} when the port is in use
 */
export const serveMetrics = (metrics: Metrics, address: Address): Promise<HttpServer> =>
  serve("metrics", address, async ({ method, url }, response) => {
    if (method !== "GET" || url?.split("?")[0] !== "/metrics") return void response.writeHead(404).end();
    const { contentType, text } = await metrics.read();
    response.writeHead(200, { "content-type": contentType, "cache-control": "no-store" }).end(text);
  });
