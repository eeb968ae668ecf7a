// The endpoint of all organisations, in a separate process: responds to each request with 200, and to webhooks below /gone with 410.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const server = createServer((request, response) => {
  request.resume();
  const isGone = request.method === "POST" && request.url?.startsWith("/gone");
  request.once("end", () => response.writeHead(isGone ? 410 : 200).end());
});
// Connections stay open while others are measured.
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit());
