import { dirname } from "node:path";
import { createLog } from "./log/create-log.ts";
import { errorFields } from "./log/error-fields.ts";
import { demoSignIns } from "./seed/demo-sign-ins.ts";
import { SettingError } from "./settings/setting-error.ts";
import { readSettings } from "./settings/settings.ts";
import { startPlatform } from "./start-platform.ts";
import { databaseError } from "./startup/check-database.ts";
import { StoreError } from "./store/store-error.ts";

/** Stopping takes 16 s at most (D-71), and longer only when the database does not respond. */
const shutdownLimitMs = 20_000;

const exampleFolder = dirname(import.meta.dirname);

async function main(): Promise<void> {
  const settings = readSettings(process.env, exampleFolder);
  const log = createLog(settings.logLevel);
  const platform = await startPlatform(settings, log);
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
  // Before the line that says that it runs, since a supervisor may then send signals.
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => void stop(signal));
  const { address, storeLabel } = platform;
  log.info({ address, store: storeLabel, pid: process.pid }, `platform listening on ${address} (store ${storeLabel})`);
  const signIns = await demoSignIns(settings.seedFile, address);
  if (signIns !== undefined) log.info(signIns);
}

/** Of the system; of PostgreSQL: refused, no such database, too many connections, not allowed, starting up. */
const connectionCode = /^(ECONN\w+|ENOTFOUND|EAI_\w+|ETIMEDOUT|E\w+UNREACH|EPIPE|08...|28...|3D000|42501|53300|57P0.)$/;

/** One line that says what to do. Any other error is a bug: it keeps its stack, but not its message, which may hold secrets. */
function reasonOf(error: unknown): unknown {
  if (error instanceof SettingError || error instanceof StoreError) return error.message;
  const { code, syscall, path, message } = Object(error) as NodeJS.ErrnoException;
  const { DATABASE_URL } = process.env;
  if (DATABASE_URL && connectionCode.test(code ?? "")) return databaseError(error, DATABASE_URL).message;
  // An error of the file system says which file and why.
  if (syscall !== undefined && path !== undefined) return message;
  return errorFields(error);
}

main().catch((error: unknown) => {
  console.error("platform did not start:", reasonOf(error));
  process.exitCode = 1;
});
