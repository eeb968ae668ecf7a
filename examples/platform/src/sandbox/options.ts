import { Command, CommanderError, Option } from "commander";
import envPaths from "env-paths";
import { demoSeedFile } from "../seed/demo-sign-ins.ts";
import { SettingError } from "../settings/setting-error.ts";
import { readSettings, type Settings } from "../settings/settings.ts";

/** The command-line options. */
export interface SandboxOptions {
  port: string;
  host: string;
  allowHost?: readonly string[];
  /** The data folder. */
  data: string;
  reset?: true;
  dialect: string;
  databaseUrl?: string;
  /** The base URL to save in the company profile. */
  webhooksTo?: string;
  /** Whether to create an offer to which two workers respond. */
  example?: true;
  json?: true;
}

const createSandboxCommand = (version: string): Command =>
  new Command("npx @offers/sandbox")
    .usage("[options]")
    .description(
      "Runs the staffing service on this machine, with demo data: the offers API, signed webhooks with retries, the portal and the worker's app.",
    )
    .option("--port <port>", "port to listen on; 0 picks any free port", "3000")
    .option(
      "--webhooks-to <url>",
      "base URL of your webhook endpoints; saved in the demo company's profile once GET /test and GET /test/auth pass",
      readBaseAddress,
    )
    .option("--example", "create an offer; one worker applies, one rejects")
    .addOption(new Option("--data <dir>", "data folder").default(cacheFolder(), "a folder in the user's cache"))
    .option("--reset", "delete the data in that folder first")
    .option("--dialect <dialect>", '"reference", or "live" to respond like the live service', "reference")
    .option("--database-url <url>", "use PostgreSQL instead of the embedded store")
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--allow-host <name>", "additional host name that requests may use; repeatable", appendName)
    .option("--json", "print one JSON object per line, for programs")
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "print this help")
    // `readSandboxOptions` reports errors instead.
    .configureOutput({ writeErr: () => undefined, getOutHelpWidth: () => 80 })
    .addHelpText(
      "after",
      `
Environment:
  WEBHOOK_SECRET  secret of --webhooks-to (default demo-webhook-secret)
  NO_COLOR        disables colours

Examples:
  $ npx @offers/sandbox
  $ npx @offers/sandbox --webhooks-to http://localhost:3001/offers --example
  $ npx @offers/sandbox --port 8080 --dialect live --reset`,
    )
    .exitOverride();

function readBaseAddress(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? "")) return text;
  throw new SettingError("Invalid --webhooks-to: expected a base URL, such as http://localhost:3001/offers");
}

const cacheFolder = (): string => envPaths("offers-sandbox", { suffix: "" }).cache;

const appendName = (name: string, names: readonly string[] = []): string[] => [...names, name];

/**
 * Parses the sandbox's command line.
 *
 * @returns undefined after printing the help or the version
 * @throws {SettingError} for unknown options, or options that cannot be combined
 */
export function readSandboxOptions(args: readonly string[], version: string): SandboxOptions | undefined {
  const command = createSandboxCommand(version);
  try {
    command.parse(args, { from: "user" });
  } catch (cause) {
    if (!(cause instanceof CommanderError)) throw cause;
    if (cause.exitCode === 0) return undefined;
    // Commander adds a suggestion on a second line.
    const problem = cause.message
      .replace(/^error: /, "")
      .replace("\n", " ")
      .replace(/\.$/, "");
    throw new SettingError(`${problem}; offers-sandbox --help shows all options`, { cause });
  }
  const options = command.opts<SandboxOptions>();
  if (options.reset && options.databaseUrl !== undefined)
    throw new SettingError(
      "--reset deletes only the embedded store; to empty a PostgreSQL database, use dropdb and createdb",
    );
  return options;
}

/** Maps the names of settings to the options that set them. */
const optionNames: Record<string, string> = {
  PORT: "--port",
  HOST: "--host",
  DATABASE_URL: "--database-url",
  OFFERS_DATA: "--data",
  OFFERS_DIALECT: "--dialect",
  OFFERS_ALLOWED_HOSTS: "--allow-host",
};

/**
 * Returns the platform's settings for a demonstration on one machine. Uses only the options, because a `DATABASE_URL` or `PORT` in the
 * environment belongs to the user's own program (D-106).
 *
 * @throws {SettingError} with a message that contains names of settings, see `replaceSettingNames`
 */
export function sandboxSettings(options: SandboxOptions): Settings {
  const { port, host, allowHost = [], data, databaseUrl, dialect } = options;
  return readSettings(
    {
      PORT: port,
      HOST: host,
      // Never empty, because that would allow any host.
      OFFERS_ALLOWED_HOSTS: [...allowHost, ...(isUsableAsHost(host) ? [host] : [])].join(",") || "localhost",
      OFFERS_DATA: data,
      DATABASE_URL: databaseUrl,
      OFFERS_DIALECT: dialect,
      OFFERS_SEED: demoSeedFile,
      OFFERS_ALLOW_LOOPBACK: "1",
      OFFERS_SHOW_ALL_MAIL: "1",
      OFFERS_RETRY_SCHEDULE: "development",
      // Off, because only the user calls the sandbox.
      OFFERS_PERSON_RATE_LIMIT: "off",
    },
    data,
  );
}

/** Returns whether requests can use a listening address as their host. They cannot use wildcard addresses or IPv6 addresses. */
const isUsableAsHost = (host: string): boolean => host !== "0.0.0.0" && !host.includes(":");

/** Replaces the names of settings in a message with the names of the corresponding options. */
export const replaceSettingNames = (message: string): string =>
  message.replace(/\b[A-Z_]+\b/g, (name) => optionNames[name] ?? name);
