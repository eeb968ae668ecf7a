// Runs every organisation's endpoint in a separate process. Responds to webhooks under /gone with 410, and to all other requests with 200.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const server = createServer((request, response) => {
  request.resume();
  const isGone = request.method === "POST" && request.url?.startsWith("/gone");
  request.once("end", () => response.writeHead(isGone ? 410 : 200).end());
});
// Keep connections open between measurements.
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit());
