import { demoSeedFile } from "../seed/demo-sign-ins.ts";
import { readSettings, type Settings } from "../settings/settings.ts";
import type { SandboxOptions } from "./sandbox-options.ts";

/** The options that stand for settings. */
const optionOf: Record<string, string> = {
  PORT: "--port",
  HOST: "--host",
  DATABASE_URL: "--database-url",
  OFFERS_DATA: "--data",
  OFFERS_DIALECT: "--dialect",
  OFFERS_ALLOWED_HOSTS: "--allow-host",
};

/**
 * The platform's settings for a demonstration on one machine. They come from the options alone: a `DATABASE_URL` or `PORT` in the
 * environment belongs to the user's own program (D-106).
 *
 * @throws {SettingError} names the settings; see `namedByOptions`
 */
export function sandboxSettings(options: SandboxOptions): Settings {
  const { port, host, allowedHosts, dataFolder, databaseUrl, dialect } = options;
  return readSettings(
    {
      PORT: port,
      HOST: host,
      OFFERS_ALLOWED_HOSTS: [...allowedHosts, ...(isName(host) ? [host] : [])].join(",") || "localhost",
      OFFERS_DATA: dataFolder,
      DATABASE_URL: databaseUrl,
      OFFERS_DIALECT: dialect,
      OFFERS_SEED: demoSeedFile,
      OFFERS_ALLOW_LOOPBACK: "1",
      OFFERS_SHOW_ALL_MAIL: "1",
      OFFERS_RETRY_SCHEDULE: "development",
      // The only callers are the user's own.
      OFFERS_PERSON_RATE_LIMIT: "off",
    },
    dataFolder,
  );
}

/** Whether requests can have it as their host: no wildcard address, nor one of IPv6. */
const isName = (host: string): boolean => host !== "0.0.0.0" && !host.includes(":");

/** A message about settings, for a reader who gave options. */
export const namedByOptions = (message: string): string =>
  message.replace(/\b[A-Z_]+\b/g, (name) => optionOf[name] ?? name);
