import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { setTimeout } from "node:timers/promises";
import { addressOf } from "../http/address-of.ts";
import { SettingError } from "../settings/setting-error.ts";

export interface Address {
  host: string;
  port: number;
}

/** An address, and the settings that hold its host and its port. */
export interface Place extends Address {
  settings: { host: string; port: string };
}

export const platformPlace = ({ host, port }: Address): Place => ({
  host,
  port,
  settings: { host: "HOST", port: "PORT" },
});

export const metricsPlace = ({ host, port }: Address): Place => ({
  host,
  port,
  settings: { host: "OFFERS_METRICS", port: "OFFERS_METRICS" },
});

export interface HttpServer {
  /** `http://127.0.0.1:3000` */
  address: string;
  /** Accepts no more connections, and resets those that are still open after `graceMs`. @param graceMs default 0 */
  close(graceMs?: number): Promise<void>;
}

/** @throws {SettingError} names the setting, the problem and the remedy */
export async function serve(place: Place, listener: RequestListener): Promise<HttpServer> {
  const server = createServer({ requestTimeout: 30_000 }, listener);
  server.listen(place.port, place.host);
  await once(server, "listening").catch((cause: NodeJS.ErrnoException) => {
    throw new SettingError(reasonOf(cause, place), { cause });
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

/** Fails early if the address cannot be listened at. */
export async function checkPlace(place: Place): Promise<void> {
  const server = await serve(place, () => undefined);
  await server.close();
}

function reasonOf({ code, syscall }: NodeJS.ErrnoException, { host, port, settings }: Place): string {
  const remedy = `set ${settings.host} to an address of this machine, such as 127.0.0.1 or 0.0.0.0`;
  if (code === "EADDRINUSE")
    return `${settings.port}: port ${port} of ${host} is in use by another process (${code}); stop it, or set ${settings.port} to another port`;
  if (code === "EACCES")
    return `${settings.port}: this user may not listen on port ${port} of ${host} (${code}); set ${settings.port} to a port from 1024 on`;
  if (syscall === "getaddrinfo") return `${settings.host}: the name ${host} cannot be looked up (${code}); ${remedy}`;
  return `${settings.host}: the platform cannot listen at ${host} (${code}); ${remedy}`;
}
