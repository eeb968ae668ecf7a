// A process of its own, so that the server's work is not counted as the client's.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { offer } from "./contender.ts";

const [found, created] = [JSON.stringify(offer), JSON.stringify({ id: offer.id })];
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    response.setHeader("content-type", "application/json");
    response.end(request.method === "POST" ? created : found);
  });
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit());
