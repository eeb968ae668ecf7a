import { join } from "node:path";
import { type DialectName, dialects } from "./api/dialect.ts";
import { defaultRetrySchedule, type RetrySchedule } from "./delivery/retry-schedule.ts";
import { bodyLimitBytes } from "./generated/decisions.ts";

export interface Settings {
  port: number;
  host: string;
  dataFolder: string;
  databaseUrl: string | undefined;
  seedFile: string | undefined;
  dialect: DialectName;
  allowLoopback: boolean;
  showAllMail: boolean;
  retrySchedule: RetrySchedule;
  bodyLimitBytes: number;
  sealKey: string | undefined;
  logLevel: string;
}

/** A variable of the environment has a value that makes no sense. The message names it and what to write instead. */
export class SettingError extends Error {
  override readonly name = "SettingError";
  readonly code = "invalid_setting";
}

const logLevels = ["trace", "debug", "info", "warn", "error", "silent"];

/** Seven attempts within half a minute: a receiver that is being worked on is soon told. */
const developmentSchedule: RetrySchedule = {
  delaysMs: [500, 1_000, 2_000, 4_000, 8_000, 12_000],
  jitter: 0.2,
  maxRetryAfterMs: 60_000,
};

/**
 * Reads what may be set from outside; README.md has the table.
 *
 * @param exampleFolder what the default data folder lies below
 * @throws {SettingError}
 */
export function readSettings(environment: Record<string, string | undefined>, exampleFolder: string): Settings {
  // A variable that is set to nothing counts as not set.
  const read = <T>(name: string, fallback: T, parse: (text: string) => T | undefined, remedy: string): T => {
    const text = environment[name];
    if (text === undefined || text === "") return fallback;
    const value = parse(text);
    if (value === undefined) throw new SettingError(`${name} is not usable; ${remedy}`);
    return value;
  };
  const { DATABASE_URL, OFFERS_DATA, OFFERS_SEAL_KEY, OFFERS_SEED } = environment;
  return {
    port: read("PORT", 3000, wholeNumber(0, 65_535), "write a port from 0 (any free one) to 65535"),
    host: environment.HOST || "127.0.0.1",
    dataFolder: OFFERS_DATA || join(exampleFolder, "data", "platform"),
    databaseUrl: DATABASE_URL
      ? read("DATABASE_URL", "", postgresAddress, "write postgres://user@host/database")
      : undefined,
    seedFile: OFFERS_SEED || undefined,
    dialect: read("OFFERS_DIALECT", "reference", dialectName, `write one of ${Object.keys(dialects).join(", ")}`),
    allowLoopback: read("OFFERS_ALLOW_LOOPBACK", false, onOrOff, "write 1 for development, or 0"),
    showAllMail: read("OFFERS_SHOW_ALL_MAIL", false, onOrOff, "write 1 for development, or 0"),
    retrySchedule: read(
      "OFFERS_RETRY_SCHEDULE",
      defaultRetrySchedule,
      schedule,
      "write default, development, or pauses such as 1s,30s,5m,2h",
    ),
    bodyLimitBytes: read(
      "OFFERS_BODY_LIMIT_BYTES",
      bodyLimitBytes,
      wholeNumber(1_024, 64 * 1024 * 1024),
      "write a number of bytes from 1024 to 67108864",
    ),
    sealKey: OFFERS_SEAL_KEY || undefined,
    logLevel: read("OFFERS_LOG_LEVEL", "info", oneOf(logLevels), `write one of ${logLevels.join(", ")}`),
  };
}

const wholeNumber =
  (min: number, max: number) =>
  (text: string): number | undefined =>
    /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined;

const oneOf =
  (choices: readonly string[]) =>
  (text: string): string | undefined =>
    choices.includes(text) ? text : undefined;

const dialectName = (text: string): DialectName | undefined =>
  Object.hasOwn(dialects, text) ? (text as DialectName) : undefined;

const onOrOff = (text: string): boolean | undefined => (text === "1" ? true : text === "0" ? false : undefined);

const postgresAddress = (text: string): string | undefined =>
  /^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text) ? text : undefined;

const unitsMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

function schedule(text: string): RetrySchedule | undefined {
  if (text === "default") return defaultRetrySchedule;
  if (text === "development") return developmentSchedule;
  const delaysMs = text.split(",").map((pause) => {
    const [, count, unit = ""] = /^\s*(\d{1,6})(ms|s|m|h)\s*$/.exec(pause) ?? [];
    return Number(count) * (unitsMs[unit] ?? Number.NaN);
  });
  return delaysMs.every((ms) => ms > 0) ? { ...defaultRetrySchedule, delaysMs } : undefined;
}
