import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Scheme } from "../corpus/scheme.ts";
import { readUrl } from "../exchange/read-url.ts";
import { maskSecrets } from "../terminal/mask-secrets.ts";
import { readSecret } from "../terminal/read-secret.ts";
import { styleFor } from "../terminal/style.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { createListener } from "./create-listener.ts";
import { showArrival, toJsonLine } from "./show-arrival.ts";

export interface ListenOptions {
  port: number;
  host: string;
  forwardTo?: string;
  scheme: Scheme;
  secretFile?: string;
  timeoutMs: number;
  json?: true;
}

/** Listens until Ctrl+C. @returns the exit code */
export async function listen(options: ListenOptions): Promise<number> {
  const forwardTo = options.forwardTo === undefined ? undefined : readUrl(options.forwardTo);
  const secret = await readSecret(options.scheme, options.secretFile);
  const mask = maskSecrets([secret]);
  const style = styleFor(process.stdout);
  const server = createListener({
    ...{ scheme: options.scheme, secret, forwardTo, timeoutMs: options.timeoutMs },
    onArrival: (arrival) => console.log(options.json ? toJsonLine(arrival, mask) : showArrival(arrival, mask, style)),
  });
  server.listen(options.port, options.host);
  try {
    await once(server, "listening");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new UsageError(
      `Port ${options.port} of ${options.host} cannot be used (${code}). Choose another one with --port.`,
    );
  }
  const { port } = server.address() as AddressInfo;
  const address = `http://${options.host.includes(":") ? `[${options.host}]` : options.host}:${port}`;
  const destination = forwardTo ? `, forwarding to ${forwardTo.href}` : "";
  // Not among the lines for a program.
  console.error(`Listening on ${address}${destination}. Stop with Ctrl+C.`);
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  server.close();
  server.closeAllConnections();
  return 0;
}
