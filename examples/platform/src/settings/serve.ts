import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { setTimeout } from "node:timers/promises";
import { SettingError } from "./setting-error.ts";

export interface Address {
  host: string;
  port: number;
}

/** The settings with the address of each server. */
const settingsOf = {
  platform: { host: "HOST", port: "PORT" },
  metrics: { host: "OFFERS_METRICS", port: "OFFERS_METRICS" },
};

type ServerName = keyof typeof settingsOf;

export interface HttpServer {
  /** `http://127.0.0.1:3000` */
  address: string;
  /** Stops accepting connections, and resets those that are still open after `graceMs`. @param graceMs default 0 */
  close(graceMs?: number): Promise<void>;
}

/**
 * How long an idle connection is kept: longer than a proxy keeps it, which would otherwise send a request on a connection that was just
 * closed. nginx and AWS's ALB keep it for 60 s, Caddy for 120 s.
 */
const keepAliveTimeout = 130_000;

/** @throws {SettingError} names the setting, the problem and the remedy */
export async function serve(name: ServerName, { host, port }: Address, listener: RequestListener): Promise<HttpServer> {
  const server = createServer({ requestTimeout: 30_000, keepAliveTimeout }, listener);
  server.listen(port, host);
  await once(server, "listening").catch((cause: NodeJS.ErrnoException) => {
    throw new SettingError(reasonOf(name, { host, port }, cause), { cause });
  });
  return {
    address: addressOf(server),
    async close(graceMs = 0) {
      const closed = once(server, "close");
      server.close();
      // A connection with keep-alive becomes idle only after its last response.
      const idle = setInterval(() => server.closeIdleConnections(), 100);
      await Promise.race([closed, setTimeout(graceMs, undefined, { ref: false })]);
      clearInterval(idle);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Fails early if the platform cannot listen on the address. */
export async function checkAddress(name: ServerName, address: Address): Promise<void> {
  const server = await serve(name, address, () => undefined);
  await server.close();
}

function reasonOf(name: ServerName, { host, port }: Address, { code, syscall }: NodeJS.ErrnoException): string {
  const setting = settingsOf[name];
  const remedy = `set ${setting.host} to an address of this machine, such as 127.0.0.1 or 0.0.0.0`;
  if (code === "EADDRINUSE")
    return `${setting.port}: port ${port} of ${host} is in use by another process (${code}); stop it, or set ${setting.port} to another port`;
  if (code === "EACCES")
    return `${setting.port}: this user may not listen on port ${port} of ${host} (${code}); set ${setting.port} to a port from 1024 on`;
  if (syscall === "getaddrinfo") return `${setting.host}: the name ${host} cannot be looked up (${code}); ${remedy}`;
  return `${setting.host}: the platform cannot listen at ${host} (${code}); ${remedy}`;
}

/** `http://127.0.0.1:3000`, for a listening server. */
export function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return `http://${address.family === "IPv6" ? `[${address.address}]` : address.address}:${address.port}`;
}
