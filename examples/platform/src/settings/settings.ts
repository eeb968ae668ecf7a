import { join } from "node:path";
import { findNearestName } from "@offers/contract/nearest-name";
import { defaultRetrySchedule, type RetrySchedule } from "@offers/contract/retry-schedule";
import { emailAddressSchema } from "@offers/contract/schemas";
import { z } from "zod";
import { bodyLimitBytes } from "../generated/decisions.ts";
import { SettingError } from "./setting-error.ts";

/** How long finished data is stored, in days (D-77, D-140). */
export interface RetentionPeriods {
  /** For acknowledged deliveries, their events and attempts, and notifications about past offers. */
  deliveryDays: number;
  /** For response bodies from endpoints, and sent emails. */
  contentDays: number;
}

export const defaultRetention: RetentionPeriods = { deliveryDays: 90, contentDays: 30 };

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max));

const origin = z.string().refine((text) => /^https?:/.test(text) && URL.parse(text)?.origin === text);

/** The URL of a database. It must contain the database name, because PostgreSQL would otherwise use the role's name. */
const postgresUrl = z
  .string()
  .refine((text) => /^postgres(?:ql)?:\/\//.test(text) && /^\/./.test(URL.parse(text)?.pathname ?? ""));

/** Matches several hosts in libpq's syntax: `postgres://a,b/database` or `?host=a,b`. */
const severalHosts = /^postgres(?:ql)?:\/\/(?:(?:[^/?]*@)?[^/?@]*,[^/?@]*(?:[/?]|$)|[^#]*[?&]host=[^&]*(?:,|%2c))/i;
const oneHost =
  "one host that reaches the primary: a proxy such as HAProxy or PgBouncer, or the failover manager's address. Only libpq tries several hosts";

const smtpUrl = z.string().refine((text) => /^smtps?:\/\/[^/]/.test(text) && URL.canParse(text));

const addressFormat = /^(?:\[?([\w.:-]+?)\]?:)?(\d+)$/;

/** Parses addresses such as `9464`, `0.0.0.0:9464` and `[::1]:9464`. */
const metricsAddress = z
  .string()
  .regex(addressFormat)
  .transform((text) => {
    const [, host = "127.0.0.1", port] = addressFormat.exec(text) ?? [];
    return { host, port: Number(port) };
  })
  .pipe(z.object({ host: z.string(), port: z.int().max(65_535) }));

/** Parses host names such as `localhost` or `sandbox,offers.internal`. */
const hostNames = z
  .string()
  .regex(/^[a-z\d_.-]+(?:,[a-z\d_.-]+)*$/i)
  .transform((text) => text.toLowerCase().split(","));

const unitsMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Parses rate limits: `600/m` allows 600 requests in each window of a minute. */
const rateLimit = z.union([
  z.literal("off").transform(() => undefined),
  z
    .string()
    .regex(/^[1-9]\d{0,8}\/[smh]$/)
    .transform((text) => {
      const [count, unit = ""] = text.split("/");
      return { count: Number(count), seconds: (unitsMs[unit] ?? 0) / 1_000 };
    }),
]);

/** A schedule of seven attempts within half a minute. A receiver under development should get retries quickly. */
const developmentSchedule: RetrySchedule = {
  delaysMs: [500, 1_000, 2_000, 4_000, 8_000, 12_000],
  jitter: 0.2,
  maxRetryAfterMs: 60_000,
};

const pauseMs = z
  .string()
  .trim()
  .regex(/^\d{1,6}(?:ms|s|m|h)$/)
  .transform((text) => Number.parseInt(text, 10) * (unitsMs[text.replace(/^\d+/, "")] ?? 0))
  .pipe(z.number().positive());

/** Parses a retry schedule: a name or a list of pauses. */
const retrySchedule = z.union([
  z.literal("default").transform(() => defaultRetrySchedule),
  z.literal("development").transform(() => developmentSchedule),
  z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(pauseMs))
    .transform((delaysMs): RetrySchedule => ({ ...defaultRetrySchedule, delaysMs })),
]);

const dialects = ["reference", "live"] as const;
const logLevels = ["trace", "debug", "info", "warn", "error", "silent"] as const;
const flag = z.stringbool({ truthy: ["1"], falsy: ["0"], case: "sensitive" }).default(false);
const days = wholeNumber(1, 36_500);
const optionalText = z.string().optional();

/** All settings; OPERATING.md explains them. A description completes the message "Invalid PORT: expected …". */
const schema = z.strictObject({
  PORT: wholeNumber(0, 65_535).default(3_000).describe("a port from 0 (any free one) to 65535"),
  HOST: z.string().default("127.0.0.1"),
  OFFERS_PUBLIC_ORIGIN: origin.optional().describe("an origin without a path, such as https://offers.example"),
  OFFERS_ALLOWED_HOSTS: hostNames.optional().describe("host names, such as localhost or sandbox,offers.internal"),
  OFFERS_DATA: optionalText,
  DATABASE_URL: postgresUrl.optional().describe("postgres://user@host/database"),
  DATABASE_LISTEN_URL: postgresUrl.optional().describe("postgres://user@host/database"),
  OFFERS_ENCRYPTION_KEY: optionalText,
  OFFERS_SEED: optionalText,
  OFFERS_DIALECT: z
    .enum(dialects)
    .default("reference")
    .describe(`one of ${dialects.join(", ")}`),
  OFFERS_ALLOW_LOOPBACK: flag.describe("1 for development, or 0"),
  OFFERS_SHOW_ALL_MAIL: flag.describe("1 for development, or 0"),
  OFFERS_RETRY_SCHEDULE: retrySchedule
    .default(defaultRetrySchedule)
    .describe("default, development, or pauses such as 1s,30s,5m,2h"),
  OFFERS_BODY_LIMIT_BYTES: wholeNumber(1_024, 67_108_864)
    .default(bodyLimitBytes)
    .describe("a number of bytes from 1024 to 67108864"),
  /** For API keys (D-54). */
  OFFERS_RATE_LIMIT: rateLimit.prefault("600/m").describe("off, or a limit such as 600/m"),
  /** For users and workers (D-91). */
  OFFERS_PERSON_RATE_LIMIT: rateLimit.prefault("600/m").describe("off, or a limit such as 600/m"),
  OFFERS_TRUSTED_PROXIES: wholeNumber(0, 10).default(0).describe("a number from 0 to 10"),
  OFFERS_METRICS: metricsAddress.optional().describe("a port, or an address and a port such as 0.0.0.0:9464"),
  OFFERS_RETENTION_DAYS: days.default(defaultRetention.deliveryDays).describe("a number of days from 1 to 36500"),
  OFFERS_CONTENT_RETENTION_DAYS: days
    .default(defaultRetention.contentDays)
    .describe("a number of days from 1 to 36500"),
  SMTP_URL: smtpUrl.optional().describe("smtp://user:password@host:587, or smtps:"),
  OFFERS_MAIL_FROM: emailAddressSchema.optional().describe("the sender's email address, such as offers@example.com"),
  OFFERS_FCM_CREDENTIALS: optionalText,
  OFFERS_LOG_LEVEL: z
    .enum(logLevels)
    .default("info")
    .describe(`one of ${logLevels.join(", ")}`),
});

type Environment = Record<string, string | undefined>;

export type Settings = ReturnType<typeof readSettings>;

export const settingNames = Object.keys(schema.shape);

/**
 * Reads the settings from environment variables.
 *
 * @param exampleFolder the parent folder of the default data folder
 * @throws {SettingError}
 */
export function readSettings(environment: Environment, exampleFolder: string) {
  for (const name of ["DATABASE_URL", "DATABASE_LISTEN_URL"])
    if (severalHosts.test(environment[name] ?? "")) throw invalidSetting(name, oneHost, environment);
  const parsed = parseSettings(environment);
  checkCombinations(parsed, environment);
  const { SMTP_URL: url, OFFERS_MAIL_FROM: from } = parsed;
  return {
    port: parsed.PORT,
    host: parsed.HOST,
    publicOrigin: parsed.OFFERS_PUBLIC_ORIGIN,
    /** Undefined to allow any host (D-105). */
    allowedHosts: parsed.OFFERS_ALLOWED_HOSTS,
    dataFolder: parsed.OFFERS_DATA ?? join(exampleFolder, "data", "platform"),
    databaseUrl: parsed.DATABASE_URL,
    /** The direct URL of PostgreSQL, if DATABASE_URL points to a pooler in transaction mode. */
    listenUrl: parsed.DATABASE_LISTEN_URL,
    seedFile: parsed.OFFERS_SEED,
    dialect: parsed.OFFERS_DIALECT,
    allowLoopback: parsed.OFFERS_ALLOW_LOOPBACK,
    showAllMail: parsed.OFFERS_SHOW_ALL_MAIL,
    retrySchedule: parsed.OFFERS_RETRY_SCHEDULE,
    bodyLimitBytes: parsed.OFFERS_BODY_LIMIT_BYTES,
    encryptionKey: parsed.OFFERS_ENCRYPTION_KEY,
    /** The rate limit per API key; undefined for no limit. */
    rateLimit: parsed.OFFERS_RATE_LIMIT,
    /** The rate limit per user and worker; undefined for no limit. */
    personRateLimit: parsed.OFFERS_PERSON_RATE_LIMIT,
    trustedProxies: parsed.OFFERS_TRUSTED_PROXIES,
    metrics: parsed.OFFERS_METRICS,
    retention: { deliveryDays: parsed.OFFERS_RETENTION_DAYS, contentDays: parsed.OFFERS_CONTENT_RETENTION_DAYS },
    smtp: url !== undefined && from !== undefined ? { url, from } : undefined,
    /** The path of the file that contains a service account key. */
    fcmCredentials: parsed.OFFERS_FCM_CREDENTIALS,
    logLevel: parsed.OFFERS_LOG_LEVEL,
  };
}

/** Checks settings that depend on each other. @throws {SettingError} */
function checkCombinations(settings: z.infer<typeof schema>, environment: Environment): void {
  const metricsPort = settings.OFFERS_METRICS?.port;
  if (settings.SMTP_URL !== undefined && settings.OFFERS_MAIL_FROM === undefined)
    throw invalidSetting("OFFERS_MAIL_FROM", "the sender's email address, which SMTP_URL requires", environment);
  if (settings.DATABASE_LISTEN_URL !== undefined && settings.DATABASE_URL === undefined)
    throw invalidSetting("DATABASE_URL", "the pooler's URL, because DATABASE_LISTEN_URL is set", environment);
  // Port 0 picks a free port.
  if (metricsPort !== undefined && metricsPort !== 0 && metricsPort === settings.PORT)
    throw invalidSetting("OFFERS_METRICS", "a different port from PORT", environment);
}

function parseSettings(environment: Environment): z.infer<typeof schema> {
  // Ignore settings that are empty and variables that are not meant for the platform. The schema rejects unknown settings.
  const isRelevant = ([name, value]: [string, unknown]): boolean =>
    settingNames.includes(name) ? Boolean(value) : isSettingName(name);
  const { error, data } = schema.safeParse(Object.fromEntries(Object.entries(environment).filter(isRelevant)));
  if (data !== undefined) return data;
  for (const issue of error.issues)
    if (issue.code === "unrecognized_keys")
      throw new SettingError(describeUnknownSetting(issue.keys[0] ?? "", settingNames));
  const name = String(error.issues[0]?.path[0]) as keyof typeof schema.shape;
  throw invalidSetting(name, schema.shape[name].description ?? "another value", environment);
}

/**
 * Creates the error for an invalid setting. Quotes the value on one line, unless it is longer than 100 characters or may contain a
 * secret, such as a password in a URL.
 */
function invalidSetting(name: string, expected: string, environment: Environment): SettingError {
  const value = environment[name] ?? "";
  const isQuotable = value !== "" && value.length <= 100 && !/_URL$|KEY$/.test(name);
  const quotedValue = isQuotable ? `; got ${value.replace(/[^ -~]/g, "?")}` : "";
  return new SettingError(`Invalid ${name}: expected ${expected}${quotedValue}`);
}

/** Variables for other programs in this repository, which may share the environment. */
const otherVariables = [
  "OFFERS_BOOTSTRAPPED",
  "OFFERS_BASE_URL",
  "OFFERS_API_KEY",
  "OFFERS_USER_ID",
  "OFFERS_WEBHOOK_SECRET",
];

/** Returns whether a variable is meant for the platform. Ignores case, so that `offers_data` is reported as misspelt. */
const isSettingName = (name: string): boolean => /^OFFERS_/i.test(name) && !otherVariables.includes(name);

/** Returns the error message for an unknown setting, with the remedy (D-90). */
function describeUnknownSetting(name: string, names: readonly string[]): string {
  // Compare without the common prefix, which would make all names similar.
  const withoutPrefix = (fullName: string): string => fullName.replace(/^OFFERS_/i, "");
  const nearest = findNearestName(withoutPrefix(name), names.map(withoutPrefix));
  const suggestion = names.find((known) => withoutPrefix(known) === nearest);
  const remedy =
    suggestion === undefined
      ? "remove it. The platform's OPERATING.md lists all settings"
      : `did you mean ${suggestion}? Correct its name, or remove it`;
  return `Unknown setting ${name}; ${remedy}`;
}
