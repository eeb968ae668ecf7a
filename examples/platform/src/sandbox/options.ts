import { parseArgs } from "node:util";
import envPaths from "env-paths";
import { demoSeedFile } from "../seed/demo-sign-ins.ts";
import { SettingError } from "../settings/setting-error.ts";
import { readSettings, type Settings } from "../settings/settings.ts";

/** What the command line asks for. */
export interface SandboxOptions {
  help: boolean;
  version: boolean;
  port: string;
  host: string;
  allowedHosts: readonly string[];
  dataFolder: string;
  reset: boolean;
  dialect: string;
  databaseUrl: string | undefined;
  /** The base address to save on the company profile. */
  webhooksTo: string | undefined;
  /** Whether to create an offer to which two workers respond. */
  example: boolean;
  json: boolean;
}

const defaultDataFolder = (): string => envPaths("offers-sandbox", { suffix: "" }).cache;

const declared = {
  help: { type: "boolean", short: "h", default: false },
  version: { type: "boolean", default: false },
  port: { type: "string", default: "3000" },
  host: { type: "string", default: "127.0.0.1" },
  "allow-host": { type: "string", multiple: true },
  data: { type: "string" },
  reset: { type: "boolean", default: false },
  dialect: { type: "string", default: "reference" },
  "database-url": { type: "string" },
  "webhooks-to": { type: "string" },
  example: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
} as const;

/**
 * Reads the command line of the sandbox.
 *
 * @throws {SettingError} for unknown options, and for options that exclude each other
 */
export function readSandboxOptions(args: readonly string[]): SandboxOptions {
  const given = parse(args);
  const { help, version, port, host, reset, dialect, example, json } = given;
  const databaseUrl = given["database-url"];
  if (reset && databaseUrl !== undefined)
    throw new SettingError(
      "--reset deletes the embedded store only; to empty a PostgreSQL database, use dropdb and createdb",
    );
  const webhooksTo = given["webhooks-to"];
  if (webhooksTo !== undefined && !/^https?:$/.test(URL.parse(webhooksTo)?.protocol ?? ""))
    throw new SettingError("Invalid --webhooks-to: expected a base address, such as http://localhost:3001/offers");
  return {
    help,
    version,
    port,
    host,
    reset,
    dialect,
    example,
    json,
    databaseUrl,
    allowedHosts: given["allow-host"] ?? [],
    dataFolder: given.data ?? defaultDataFolder(),
    webhooksTo,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: declared }).values;
  } catch (cause) {
    // Node appends how to pass such a text as a positional argument, of which there are none.
    const [first] = (cause as Error).message.split(". ");
    throw new SettingError(`${first}; offers-sandbox --help shows all options`, { cause });
  }
}

export const help = `Usage: npx @offers/sandbox [options]

Runs the staffing service on this machine, with demo data: the offers API,
signed webhooks with retries, the portal and the worker's app.

Options:
  --port PORT          port to listen at (default 3000; 0 takes any free one)
  --webhooks-to URL    base address of your webhook endpoints; saved on the demo
                       company's profile once GET /test and GET /test/auth pass
  --example            creates an offer; one worker applies, one rejects
  --data DIR           folder of the data (default: the user's cache folder)
  --reset              deletes that data first
  --dialect live       responds as the live service is documented to
  --database-url URL   PostgreSQL instead of the embedded store
  --host ADDRESS       address to listen at (default 127.0.0.1)
  --allow-host NAME    one more host name that requests may have; repeatable
  --json               prints one JSON object per line, for programs
  --version            prints the version
  -h, --help           prints this help

Environment:
  WEBHOOK_SECRET       secret of --webhooks-to (default demo-webhook-secret)
  NO_COLOR             prints no colours

Examples:
  npx @offers/sandbox
  npx @offers/sandbox --webhooks-to http://localhost:3001/offers --example
  npx @offers/sandbox --port 8080 --dialect live --reset
`;

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
