import type { Server } from "node:http";

/** `http://127.0.0.1:3000`, for a listening server. */
export function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return `http://${address.family === "IPv6" ? `[${address.address}]` : address.address}:${address.port}`;
}
