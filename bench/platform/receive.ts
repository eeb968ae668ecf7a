// Runs in a separate process: every organisation's endpoint. Responds with 200, and to webhooks under /gone with 410.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const server = createServer((request, response) => {
  request.resume();
  const isGone = request.method === "POST" && request.url?.startsWith("/gone");
  request.once("end", () => response.writeHead(isGone ? 410 : 200).end());
});
// Keep connections open while something else is measured.
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit());
