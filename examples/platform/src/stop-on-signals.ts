import type { Logger } from "pino";
import type { Platform } from "./start-platform.ts";

/** More than the longest of what D-71 grants, 13 s for requests: beyond it, the database does not respond. */
const shutdownLimitMs = 20_000;

/** Stops the platform gracefully on SIGTERM and SIGINT. */
export function stopOnSignals(platform: Pick<Platform, "close">, log: Logger): void {
  let stopping = false;
  // A signal may come twice: a terminal sends it to the whole process group, and npm forwards it.
  const stop = async (signal: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, "platform stopping");
    setTimeout(() => {
      log.error("platform did not stop in time");
      process.exit(1);
    }, shutdownLimitMs).unref();
    await platform.close();
    log.info("platform stopped");
  };
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => void stop(signal));
}
