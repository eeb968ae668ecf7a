// The endpoint of all organisations: responds to each request with 200, in a process of its own.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const server = createServer((request, response) => {
  request.resume();
  request.once("end", () => response.end());
});
// A connection waits for its next turn while others are measured.
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit());
