import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { SettingError } from "../setting-error.ts";

export interface Place {
  host: string;
  port: number;
  /** Names of the settings that hold them. */
  settings: { host: string; port: string };
}

/** @throws {SettingError} names the setting, the problem and the remedy */
export async function listen(server: Server, place: Place): Promise<void> {
  server.listen(place.port, place.host);
  await once(server, "listening").catch((cause: NodeJS.ErrnoException) => {
    throw new SettingError(reasonOf(cause, place), { cause });
  });
}

/** Fails early if the address cannot be listened at. */
export async function checkPlace(place: Place): Promise<void> {
  const server = createServer();
  await listen(server, place);
  const closed = once(server, "close");
  server.close();
  await closed;
}

function reasonOf({ code, syscall }: NodeJS.ErrnoException, { host, port, settings }: Place): string {
  if (code === "EADDRINUSE")
    return `${settings.port}: port ${port} of ${host} is in use by another process (${code}); stop that one, or set ${settings.port} to another port`;
  if (code === "EACCES")
    return `${settings.port}: this user may not listen on port ${port} of ${host} (${code}); set ${settings.port} to a port from 1024 on`;
  if (syscall === "getaddrinfo")
    return `${settings.host}: the name ${host} cannot be looked up (${code}); set ${settings.host} to an address of this machine, such as 127.0.0.1 or 0.0.0.0`;
  return `${settings.host}: nothing can listen at ${host} (${code}); set ${settings.host} to an address of this machine, such as 127.0.0.1 or 0.0.0.0`;
}
