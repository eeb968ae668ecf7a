import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { endWithNpm } from "@offers/contract/end-with-npm";
import { createLog } from "../observability/log.ts";
import { makeDataFolder } from "../settings/make-data-folder.ts";
import { packageFolder } from "../settings/package-folder.ts";
import { SettingError } from "../settings/setting-error.ts";
import { describeStartFailure, startPlatform, stopOnSignals } from "../start-platform.ts";
import { lockFolder } from "../store/folder-lock.ts";
import { connectWebhooks, createExampleOffer, SandboxCaller } from "./demonstrate.ts";
import { readSandboxOptions, replaceSettingNames, type SandboxOptions, sandboxSettings } from "./options.ts";
import { createReadablePrinter, jsonPrinter, type Printer } from "./printer.ts";

async function runSandbox(options: SandboxOptions): Promise<void> {
  const settings = sandboxSettings(options);
  if (options.reset) await resetData(options.data);
  const printer = options.json ? jsonPrinter : createReadablePrinter();
  const log = createLog(settings.logLevel, printer);
  const platform = await startPlatform(settings, log);
  let isStopping = false;
  const close = (): Promise<void> => {
    isStopping = true;
    return platform.close();
  };
  stopOnSignals({ close }, log);
  endWithNpm();
  // Show the loopback address instead of a wildcard address, which programs cannot call.
  const address = platform.address.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
  printer.started({ address, store: platform.storeLabel, dialect: settings.dialect });
  const isBaseUrlUsable = await demonstrate(address, options, printer).catch((error: unknown) => {
    // The demonstration's calls fail if the platform is stopped in the meantime.
    if (!isStopping) throw error;
    return true;
  });
  if (isBaseUrlUsable) return;
  process.exitCode = 2;
  await close();
}

/** Carries out `--webhooks-to` and `--example`. @returns false if the base URL is invalid */
async function demonstrate(address: string, options: SandboxOptions, printer: Printer): Promise<boolean> {
  const caller = new SandboxCaller(address);
  const { webhooksTo, example } = options;
  if (webhooksTo !== undefined && !(await connectWebhooks(caller, webhooksTo, printer))) return false;
  if (!example) return true;
  const id = await createExampleOffer(caller);
  printer.note("example.created", { offerId: id }, `example    created ${id}: one worker applied, one rejected`, true);
  return true;
}

async function readVersion(): Promise<string> {
  const manifest = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8")) as { version: string };
  return manifest.version;
}

let databaseUrl: string | undefined;
try {
  const options = readSandboxOptions(process.argv.slice(2), await readVersion());
  databaseUrl = options?.databaseUrl;
  if (options) await runSandbox(options);
} catch (error) {
  const failure = describeStartFailure(error, databaseUrl);
  console.error("offers-sandbox:", typeof failure === "string" ? replaceSettingNames(failure) : failure);
  process.exitCode = error instanceof SettingError ? 2 : 1;
}

/**
 * Deletes the platform's data in a folder, but no other files.
 *
 * @throws {StoreError} `data_folder_in_use`
 */
export async function resetData(dataFolder: string): Promise<void> {
  await makeDataFolder(dataFolder);
  const lock = lockFolder(dataFolder);
  try {
    for (const name of ["pglite", "pglite.creating", "encryption.key"])
      await rm(join(dataFolder, name), { recursive: true, force: true });
  } finally {
    lock.release();
  }
}
