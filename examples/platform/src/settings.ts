import { join } from "node:path";
import { type DialectName, dialects } from "./api/dialect.ts";
import { defaultRetrySchedule, type RetrySchedule } from "./delivery/attempt/retry-schedule.ts";
import { bodyLimitBytes } from "./generated/decisions.ts";
import { emailAddressSchema } from "./generated/schemas.ts";
import type { SmtpOptions } from "./mail/smtp-transport.ts";
import type { MetricsPlace } from "./metrics/serve-metrics.ts";
import type { RateLimit } from "./rate-limits/rate-limits.ts";
import { defaultRetention, type RetentionPeriods } from "./retention/purge-expired.ts";
import { SettingError } from "./setting-error.ts";
import { checkSettingNames } from "./setting-names.ts";

export interface Settings {
  port: number;
  host: string;
  /** `https://offers.example`, where people reach it. */
  publicOrigin: string | undefined;
  dataFolder: string;
  databaseUrl: string | undefined;
  seedFile: string | undefined;
  dialect: DialectName;
  allowLoopback: boolean;
  showAllMail: boolean;
  retrySchedule: RetrySchedule;
  bodyLimitBytes: number;
  encryptionKey: string | undefined;
  /** Per API key; undefined for none. */
  rateLimit: RateLimit | undefined;
  /** Per person and worker who is signed in; undefined for none. */
  personRateLimit: RateLimit | undefined;
  trustedProxies: number;
  metrics: MetricsPlace | undefined;
  retention: RetentionPeriods;
  smtp: SmtpOptions | undefined;
  /** The path of a service account's key. */
  fcmCredentials: string | undefined;
  logLevel: string;
}

const logLevels = ["trace", "debug", "info", "warn", "error", "silent"];

/** Seven attempts within half a minute: a receiver under development gets its retries soon. */
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
  checkSettingNames(environment);
  // A variable that is set to nothing counts as not set.
  const read = <T>(name: string, fallback: T, parse: (text: string) => T | undefined, remedy: string): T => {
    const text = environment[name];
    if (text === undefined || text === "") return fallback;
    const value = parse(text);
    if (value === undefined) throw new SettingError(`${name}${shown(name, text)} is not usable; ${remedy}`);
    return value;
  };
  const readDays = (name: string, fallback: number): number =>
    read(name, fallback, wholeNumber(1, 36_500), "write a number of days from 1 to 36500");
  const { DATABASE_URL, OFFERS_DATA, OFFERS_FCM_CREDENTIALS, OFFERS_ENCRYPTION_KEY, OFFERS_SEED } = environment;
  const smtpUrl = read("SMTP_URL", undefined, smtpAddress, "write smtp://user:password@host:587, or smtps:");
  const mailFrom = read(
    "OFFERS_MAIL_FROM",
    undefined,
    mailAddress,
    "write the sender's address, such as offers@example.com",
  );
  if (smtpUrl !== undefined && mailFrom === undefined)
    throw new SettingError("OFFERS_MAIL_FROM is missing; with SMTP_URL, write the sender's address");
  const port = read("PORT", 3000, wholeNumber(0, 65_535), "write a port from 0 (any free one) to 65535");
  const metrics = read(
    "OFFERS_METRICS",
    undefined,
    metricsPlace,
    "write a port, or an address and a port such as 0.0.0.0:9464",
  );
  if (metrics !== undefined && port !== 0 && metrics.port === port)
    throw new SettingError(
      `OFFERS_METRICS=${environment.OFFERS_METRICS} names the port of the platform itself; write another`,
    );
  return {
    port,
    host: environment.HOST || "127.0.0.1",
    publicOrigin: read("OFFERS_PUBLIC_ORIGIN", undefined, origin, "write https://offers.example, without a path"),
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
    encryptionKey: OFFERS_ENCRYPTION_KEY || undefined,
    rateLimit:
      read("OFFERS_RATE_LIMIT", defaultRateLimit, rateLimit, "write off, or a limit such as 600/m") || undefined,
    personRateLimit:
      read("OFFERS_PERSON_RATE_LIMIT", defaultRateLimit, rateLimit, "write off, or a limit such as 600/m") || undefined,
    trustedProxies: read("OFFERS_TRUSTED_PROXIES", 0, wholeNumber(0, 10), "write how many there are, from 0 to 10"),
    metrics,
    retention: {
      deliveryDays: readDays("OFFERS_RETENTION_DAYS", defaultRetention.deliveryDays),
      contentDays: readDays("OFFERS_CONTENT_RETENTION_DAYS", defaultRetention.contentDays),
    },
    smtp: smtpUrl !== undefined && mailFrom !== undefined ? { url: smtpUrl, from: mailFrom } : undefined,
    fcmCredentials: OFFERS_FCM_CREDENTIALS || undefined,
    logLevel: read("OFFERS_LOG_LEVEL", "info", oneOf(logLevels), `write one of ${logLevels.join(", ")}`),
  };
}

/** The value, of settings that hold no secret, in one short line. */
const shown = (name: string, text: string): string =>
  /_URL$|KEY$/.test(name) || text.length > 100 ? "" : `=${text.replace(/[^ -~]/g, "?")}`;

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

const origin = (text: string): string | undefined => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text ? text : undefined;
};

const postgresAddress = (text: string): string | undefined =>
  // Without the name of a database it would be the one named as the user is, or as the operating system user.
  /^postgres(?:ql)?:\/\//.test(text) && /^\/./.test(URL.parse(text)?.pathname ?? "") ? text : undefined;

const smtpAddress = (text: string): string | undefined =>
  /^smtps?:\/\/[^/]/.test(text) && URL.canParse(text) ? text : undefined;

const mailAddress = (text: string): string | undefined =>
  emailAddressSchema.safeParse(text).success ? text : undefined;

/** D-54, D-91 */
const defaultRateLimit: RateLimit = { count: 600, seconds: 60 };

function rateLimit(text: string): RateLimit | false | undefined {
  if (text === "off") return false;
  const [, count, unit = ""] = /^([1-9]\d{0,8})\/([smh])$/.exec(text) ?? [];
  return count === undefined ? undefined : { count: Number(count), seconds: (unitsMs[unit] ?? 0) / 1_000 };
}

function metricsPlace(text: string): MetricsPlace | undefined {
  const [, host = "127.0.0.1", digits = ""] = /^(?:\[?([\w.:-]+?)\]?:)?(\d+)$/.exec(text) ?? [];
  const port = wholeNumber(0, 65_535)(digits);
  return port === undefined ? undefined : { host, port };
}

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
