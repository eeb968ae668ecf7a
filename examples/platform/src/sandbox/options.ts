import { Command, CommanderError, Option } from "commander";
import envPaths from "env-paths";
import { demoSeedFile } from "../seed/demo-sign-ins.ts";
import { SettingError } from "../settings/setting-error.ts";
import { readSettings, type Settings } from "../settings/settings.ts";

/** The options of the command line. */
export interface SandboxOptions {
  port: string;
  host: string;
  allowHost?: readonly string[];
  /** The folder of the data. */
  data: string;
  reset?: true;
  dialect: string;
  databaseUrl?: string;
  /** The base address to save on the company profile. */
  webhooksTo?: string;
  /** Whether to create an offer to which two workers respond. */
  example?: true;
  json?: true;
}

const sandboxCommand = (version: string): Command =>
  new Command("npx @offers/sandbox")
    .usage("[options]")
    .description(
      "Runs the staffing service on this machine, with demo data: the offers API, signed webhooks with retries, the portal and the worker's app.",
    )
    .option("--port <port>", "port to listen at; 0 takes any free one", "3000")
    .option(
      "--webhooks-to <url>",
      "base address of your webhook endpoints; saved on the demo company's profile once GET /test and GET /test/auth pass",
      readBaseAddress,
    )
    .option("--example", "create an offer; one worker applies, one rejects")
    .addOption(new Option("--data <dir>", "folder of the data").default(cacheFolder(), "in the user's cache folder"))
    .option("--reset", "delete that data first")
    .option("--dialect <dialect>", "live responds as the live service is documented to", "reference")
    .option("--database-url <url>", "PostgreSQL instead of the embedded store")
    .option("--host <address>", "address to listen at", "127.0.0.1")
    .option("--allow-host <name>", "one more host name that requests may have; repeatable", collect)
    .option("--json", "print one JSON object per line, for programs")
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "print this help")
    .configureOutput({ writeErr: () => undefined, getOutHelpWidth: () => 80 })
    .addHelpText(
      "after",
      `
Environment:
  WEBHOOK_SECRET  secret of --webhooks-to (default demo-webhook-secret)
  NO_COLOR        prints no colours

Examples:
  $ npx @offers/sandbox
  $ npx @offers/sandbox --webhooks-to http://localhost:3001/offers --example
  $ npx @offers/sandbox --port 8080 --dialect live --reset`,
    )
    .exitOverride();

function readBaseAddress(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? "")) return text;
  throw new SettingError("Invalid --webhooks-to: expected a base address, such as http://localhost:3001/offers");
}

const cacheFolder = (): string => envPaths("offers-sandbox", { suffix: "" }).cache;

const collect = (name: string, names: readonly string[] = []): string[] => [...names, name];

/**
 * Reads the command line of the sandbox.
 *
 * @returns undefined if it asks for the help or the version, which are printed
 * @throws {SettingError} for unknown options, and for options that exclude each other
 */
export function readSandboxOptions(args: readonly string[], version: string): SandboxOptions | undefined {
  const command = sandboxCommand(version);
  try {
    command.parse(args, { from: "user" });
  } catch (cause) {
    if (!(cause instanceof CommanderError)) throw cause;
    if (cause.exitCode === 0) return undefined;
    // Commander suggests a similar option on a second line.
    const problem = cause.message
      .replace(/^error: /, "")
      .replace("\n", " ")
      .replace(/\.$/, "");
    throw new SettingError(`${problem}; offers-sandbox --help shows all options`, { cause });
  }
  const options = command.opts<SandboxOptions>();
  if (options.reset && options.databaseUrl !== undefined)
    throw new SettingError(
      "--reset deletes the embedded store only; to empty a PostgreSQL database, use dropdb and createdb",
    );
  return options;
}

/** The options that set a setting. */
const optionOf: Record<string, string> = {
  PORT: "--port",
  HOST: "--host",
  DATABASE_URL: "--database-url",
  OFFERS_DATA: "--data",
  OFFERS_DIALECT: "--dialect",
  OFFERS_ALLOWED_HOSTS: "--allow-host",
};

/**
 * The platform's settings for a demonstration on one machine. They come only from the options: a `DATABASE_URL` or `PORT` in the
 * environment belongs to the user's own program (D-106).
 *
 * @throws {SettingError} names the settings; see `namedByOptions`
 */
export function sandboxSettings(options: SandboxOptions): Settings {
  const { port, host, allowHost = [], data, databaseUrl, dialect } = options;
  return readSettings(
    {
      PORT: port,
      HOST: host,
      OFFERS_ALLOWED_HOSTS: [...allowHost, ...(isName(host) ? [host] : [])].join(",") || "localhost",
      OFFERS_DATA: data,
      DATABASE_URL: databaseUrl,
      OFFERS_DIALECT: dialect,
      OFFERS_SEED: demoSeedFile,
      OFFERS_ALLOW_LOOPBACK: "1",
      OFFERS_SHOW_ALL_MAIL: "1",
      OFFERS_RETRY_SCHEDULE: "development",
      // The only callers are the user's own.
      OFFERS_PERSON_RATE_LIMIT: "off",
    },
    data,
  );
}

/** Whether requests can use it as their host: not a wildcard or an IPv6 address. */
const isName = (host: string): boolean => host !== "0.0.0.0" && !host.includes(":");

/** Replaces the names of settings in a message with those of options. */
export const namedByOptions = (message: string): string =>
  message.replace(/\b[A-Z_]+\b/g, (name) => optionOf[name] ?? name);
