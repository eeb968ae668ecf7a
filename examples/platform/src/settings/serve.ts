import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { setTimeout } from "node:timers/promises";
import { SettingError } from "./setting-error.ts";

export interface Address {
  host: string;
  port: number;
}

/** The settings for each server's address. */
const settingNames = {
  platform: { host: "HOST", port: "PORT" },
  metrics: { host: "OFFERS_METRICS", port: "OFFERS_METRICS" },
};

type ServerName = keyof typeof settingNames;

export interface HttpServer {
  /** The server's URL, such as `http://127.0.0.1:3000`. */
  address: string;
  /** Stops accepting connections. Resets connections that are still open after `graceMs` milliseconds. @default 0 */
  close(graceMs?: number): Promise<void>;
}

/**
 * How long an idle connection stays open. Must be longer than the idle timeout of proxies. Otherwise, a proxy could send a request on a
 * connection that has just been closed. nginx and AWS ALB keep idle connections open for 60 s, Caddy for 120 s.
 */
const keepAliveTimeout = 130_000;

/** Starts an HTTP server. @throws {SettingError} with the setting, the problem and the remedy */
export async function startHttpServer(
  name: ServerName,
  { host, port }: Address,
  listener: RequestListener,
): Promise<HttpServer> {
  const server = createServer({ requestTimeout: 30_000, keepAliveTimeout }, listener);
  server.listen(port, host);
  await once(server, "listening").catch((cause: NodeJS.ErrnoException) => {
    throw new SettingError(describeListenFailure(name, { host, port }, cause), { cause });
  });
  return {
    address: serverUrl(server),
    async close(graceMs = 0) {
      const closeEvent = once(server, "close");
      server.close();
      // Repeat this, because a keep-alive connection becomes idle only after its last response.
      const interval = setInterval(() => server.closeIdleConnections(), 100);
      await Promise.race([closeEvent, setTimeout(graceMs, undefined, { ref: false })]);
      clearInterval(interval);
      server.closeAllConnections();
      await closeEvent;
    },
  };
}

/** Checks that the platform can listen on an address, so that startup fails early. */
export async function checkAddress(name: ServerName, address: Address): Promise<void> {
  const server = await startHttpServer(name, address, () => undefined);
  await server.close();
}

function describeListenFailure(
  name: ServerName,
  { host, port }: Address,
  { code, syscall }: NodeJS.ErrnoException,
): string {
  const setting = settingNames[name];
  const remedy = `set ${setting.host} to one of this machine's addresses, such as 127.0.0.1 or 0.0.0.0`;
  if (code === "EADDRINUSE")
    return `${setting.port}: port ${port} on ${host} is in use by another process (${code}); stop that process, or set ${setting.port} to a different port`;
  if (code === "EACCES")
    return `${setting.port}: this user is not allowed to listen on port ${port} on ${host} (${code}); set ${setting.port} to 1024 or higher`;
  if (syscall === "getaddrinfo")
    return `${setting.host}: the host name ${host} cannot be resolved (${code}); ${remedy}`;
  return `${setting.host}: the platform cannot listen on ${host} (${code}); ${remedy}`;
}

/** Returns the URL of a listening server, such as `http://127.0.0.1:3000`. */
export function serverUrl(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
