import { dirname } from "node:path";
import { databaseError } from "./check-database.ts";
import { createLog } from "./log/create-log.ts";
import { errorFields } from "./log/error-fields.ts";
import { demoSignIns } from "./seed/demo-sign-ins.ts";
import { SeedError } from "./seed/seed-file.ts";
import { SettingError } from "./setting-error.ts";
import { readSettings } from "./settings.ts";
import { type Platform, startPlatform } from "./start-platform.ts";
import { StoreError } from "./store/store-error.ts";

/** Stopping takes 16 s at most (D-71), and longer only when the database does not respond. */
const shutdownLimitMs = 20_000;

const exampleFolder = dirname(import.meta.dirname);

async function main(): Promise<void> {
  const settings = readSettings(process.env, exampleFolder);
  const log = createLog(settings.logLevel);
  const platform = await startPlatform(settings, log);
  let stopping = false;
  // Before anybody hears that it runs.
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void stop(platform, signal));
  const { address, storeLabel } = platform;
  log.info({ address, store: storeLabel, pid: process.pid }, `platform listening on ${address} (store ${storeLabel})`);
  const signIns = await demoSignIns(settings.seedFile, address);
  if (signIns !== undefined) log.info(signIns);

  // Signals come twice: a terminal sends them to a whole group, and who started us passes them on as well.
  async function stop(running: Platform, signal: string): Promise<void> {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, "platform stopping");
    setTimeout(() => {
      log.error("platform did not stop in time");
      process.exit(1);
    }, shutdownLimitMs).unref();
    await running.close();
    log.info("platform stopped");
  }
}

/** Of the system; of PostgreSQL: refused, no such database, too many connections, not allowed, starting up. */
const connectionCode = /^(ECONN\w+|ENOTFOUND|EAI_\w+|ETIMEDOUT|E\w+UNREACH|EPIPE|08...|28...|3D000|42501|53300|57P0.)$/;

/** One line that says what to do. Any other error is a bug and keeps its stack, but no text: it may repeat what is secret. */
function reasonOf(error: unknown): unknown {
  if (error instanceof SettingError || error instanceof SeedError || error instanceof StoreError) return error.message;
  const { code, syscall, path, message } = Object(error) as NodeJS.ErrnoException;
  const { DATABASE_URL } = process.env;
  if (DATABASE_URL && connectionCode.test(code ?? "")) return databaseError(error, DATABASE_URL).message;
  // Of the file system: it says which file, and why not.
  if (syscall !== undefined && path !== undefined) return message;
  return errorFields(error);
}

main().catch((error: unknown) => {
  console.error("platform did not start:", reasonOf(error));
  process.exitCode = 1;
});
