import { parseArgs } from "node:util";
import envPaths from "env-paths";
import { SettingError } from "../settings/setting-error.ts";

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
    ...{ help, version, port, host, reset, dialect, example, json, databaseUrl },
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
