import { createLog } from "./observability/log.ts";
import { describeDemoSignIns } from "./seed/demo-sign-ins.ts";
import { packageFolder } from "./settings/package-folder.ts";
import { readSettings } from "./settings/settings.ts";
import { describeStartFailure, startPlatform, stopOnSignals } from "./start-platform.ts";

async function main(): Promise<void> {
  const settings = readSettings(process.env, packageFolder);
  const log = createLog(settings.logLevel);
  const platform = await startPlatform(settings, log);
  // Register the handlers before logging the startup line, because a supervisor may send signals once it sees that line.
  stopOnSignals(platform, log);
  const { address, storeLabel } = platform;
  log.info({ address, store: storeLabel, pid: process.pid }, `platform listening on ${address} (store ${storeLabel})`);
  const signIns = await describeDemoSignIns(settings.seedFile, address);
  if (signIns !== undefined) log.info(signIns);
}

main().catch((error: unknown) => {
  console.error("platform did not start:", describeStartFailure(error, process.env.DATABASE_URL));
  process.exitCode = 1;
});
