import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSettings, settingNames } from "./settings.ts";

const settings = (environment: Record<string, string>) => readSettings(environment, "example");

test("accepts an empty environment", () =>
  expect(settings({})).toMatchObject({
    port: 3000,
    host: "127.0.0.1",
    dataFolder: "example/data/platform",
    databaseUrl: undefined,
    dialect: "reference",
    allowLoopback: false,
    showAllMail: false,
    bodyLimitBytes: 1_048_576,
    rateLimit: { count: 600, seconds: 60 },
    personRateLimit: { count: 600, seconds: 60 },
    trustedProxies: 0,
    metrics: undefined,
    retention: { deliveryDays: 90, contentDays: 30 },
    smtp: undefined,
    fcmCredentials: undefined,
    logLevel: "info",
  }));

test("ignores empty variables", () =>
  expect(settings({ PORT: "", DATABASE_URL: "", OFFERS_DATA: "", OFFERS_SEED: "" })).toEqual(settings({})));

test("parses a retry schedule that is a list of pauses", () =>
  expect(settings({ OFFERS_RETRY_SCHEDULE: "250ms, 1s,2m,3h" }).retrySchedule.delaysMs).toEqual([
    250, 1_000, 120_000, 10_800_000,
  ]));

test("makes ten attempts over about 45 hours by default", () => {
  const { delaysMs } = settings({ OFFERS_RETRY_SCHEDULE: "default" }).retrySchedule;
  expect(delaysMs).toHaveLength(9);
  expect(delaysMs.reduce((sum, ms) => sum + ms, 0) / 3_600_000).toBeCloseTo(45, 0);
});

test.each([
  ["PORT", "65536"],
  ["PORT", "-1"],
  ["PORT", "3000.5"],
  ["PORT", "NaN"],
  ["PORT", "http"],
  ["DATABASE_URL", "mysql://localhost/x"],
  ["DATABASE_URL", "localhost:5432"],
  ["DATABASE_URL", "postgres://"],
  ["DATABASE_URL", "postgres://postgres@127.0.0.1"],
  ["DATABASE_URL", "postgres://postgres@127.0.0.1/?application_name=offers"],
  ["DATABASE_LISTEN_URL", "http://localhost"],
  ["OFFERS_DIALECT", "toString"],
  ["OFFERS_DIALECT", "Live"],
  ["OFFERS_ALLOW_LOOPBACK", "true"],
  ["OFFERS_SHOW_ALL_MAIL", "yes"],
  ["OFFERS_RETRY_SCHEDULE", "1s,,2s"],
  ["OFFERS_RETRY_SCHEDULE", "0s"],
  ["OFFERS_RETRY_SCHEDULE", "1d"],
  ["OFFERS_RETRY_SCHEDULE", "-1s"],
  ["OFFERS_BODY_LIMIT_BYTES", "1mb"],
  ["OFFERS_BODY_LIMIT_BYTES", "0"],
  ["OFFERS_LOG_LEVEL", "loud"],
  ["OFFERS_RATE_LIMIT", "600"],
  ["OFFERS_RATE_LIMIT", "0/m"],
  ["OFFERS_RATE_LIMIT", "10/d"],
  ["OFFERS_PERSON_RATE_LIMIT", "many"],
  ["OFFERS_TRUSTED_PROXIES", "loopback"],
  ["OFFERS_METRICS", "on"],
  ["OFFERS_METRICS", "127.0.0.1"],
  ["OFFERS_METRICS", "0.0.0.0:65536"],
  ["OFFERS_RETENTION_DAYS", "0"],
  ["OFFERS_CONTENT_RETENTION_DAYS", "30d"],
  ["SMTP_URL", "https://mail.example"],
  ["SMTP_URL", "smtp//mail.example"],
  ["OFFERS_MAIL_FROM", "no-address"],
])("rejects %s=%s and explains what is expected", (name, value) =>
  expect(() => settings({ [name]: value })).toThrow(new RegExp(`^Invalid ${name}: expected .{10,}$`)),
);

test("quotes a rejected value in one line, unless it may contain a secret", () => {
  expect(() => settings({ OFFERS_DIALECT: "li\nve" })).toThrow(
    /^Invalid OFFERS_DIALECT: expected one of reference, live; got li\?ve$/,
  );
  expect(() => settings({ DATABASE_URL: "postgres:/s3cret" })).toThrow(
    /^Invalid DATABASE_URL: expected postgres:\/\/user@host\/database$/,
  );
});

test.each([
  "postgres://ann@one,two/offers",
  "postgres://ann:s3cret@one:5432,two:5433/offers?target_session_attrs=read-write",
  "postgres://ann@one/offers?target_session_attrs=read-write&host=one,two",
])("rejects several hosts and explains the remedy: %s [D-145]", (url) => {
  for (const name of ["DATABASE_URL", "DATABASE_LISTEN_URL"])
    expect(() => settings({ [name]: url })).toThrow(
      new RegExp(`^Invalid ${name}: expected one host that reaches the primary: a proxy such as HAProxy (?!.*s3cret)`),
    );
  expect(settings({ DATABASE_URL: "postgres://ann:a,b@one/offers" }).databaseUrl).toContain("a,b");
});

test("every error message explains what the setting expects", () => {
  for (const name of settingNames)
    try {
      settings({ [name]: "\n" });
    } catch (error) {
      expect(String(error)).not.toContain("another value");
    }
});

test("accepts DATABASE_LISTEN_URL only if DATABASE_URL is set", () => {
  const listenUrl = "postgres://offers@postgres/offers";
  expect(() => settings({ DATABASE_LISTEN_URL: listenUrl })).toThrow(
    /^Invalid DATABASE_URL: expected the pooler's URL, because DATABASE_LISTEN_URL is set/,
  );
  expect(settings({ DATABASE_URL: "postgres://offers@pooler/offers", DATABASE_LISTEN_URL: listenUrl })).toMatchObject({
    listenUrl,
  });
});

test("requires separate ports for metrics and the API", () => {
  expect(() => settings({ PORT: "4000", OFFERS_METRICS: "0.0.0.0:4000" })).toThrow(
    "Invalid OFFERS_METRICS: expected a different port from PORT; got 0.0.0.0:4000",
  );
  expect(() => settings({ OFFERS_METRICS: "3000" })).toThrow(
    /^Invalid OFFERS_METRICS: expected a different port from PORT/,
  );
  expect(settings({ PORT: "0", OFFERS_METRICS: "0" }).metrics?.port).toBe(0);
});

test("never quotes a URL, which may contain a password", () =>
  expect(() => settings({ SMTP_URL: "smtp//offers:s3cret@mail.example" })).toThrow(/^(?!.*s3cret)/));

test("requires a sender if SMTP_URL is set", () => {
  const SMTP_URL = "smtp://offers:s3cret@mail.example:587";
  expect(() => settings({ SMTP_URL })).toThrow(
    /^Invalid OFFERS_MAIL_FROM: expected the sender's email address, which SMTP_URL requires$/,
  );
  const from = "offers@example.com";
  expect(settings({ SMTP_URL, OFFERS_MAIL_FROM: from }).smtp).toEqual({ url: SMTP_URL, from });
});

test.each([
  ["600/m", { count: 600, seconds: 60 }],
  ["5/s", { count: 5, seconds: 1 }],
  ["10000/h", { count: 10_000, seconds: 3_600 }],
  ["off", undefined],
])("parses the rate limit %s", (text, limit) => expect(settings({ OFFERS_RATE_LIMIT: text }).rateLimit).toEqual(limit));

test.each([
  ["9464", { host: "127.0.0.1", port: 9464 }],
  ["0.0.0.0:9464", { host: "0.0.0.0", port: 9464 }],
  ["[::1]:9464", { host: "::1", port: 9464 }],
  ["localhost:0", { host: "localhost", port: 0 }],
])("parses the metrics address %s", (text, address) =>
  expect(settings({ OFFERS_METRICS: text }).metrics).toEqual(address),
);

const readWith = (name: string, value: string) => () => readSettings({ [name]: value }, "example");

test.each([
  ["OFFERS_DIALEKT", "OFFERS_DIALECT"],
  ["offers_data", "OFFERS_DATA"],
  ["OFFERS_DATA_DIR", "OFFERS_DATA"],
  ["OFFERS_TRUSTED_PROXY", "OFFERS_TRUSTED_PROXIES"],
  ["OFFERS_RATELIMIT", "OFFERS_RATE_LIMIT"],
  ["OFFERS_LOGLEVEL", "OFFERS_LOG_LEVEL"],
  ["OFFERS_PUBLIC_URL", "OFFERS_PUBLIC_ORIGIN"],
  ["OFFERS_ENCRYPTIONKEY", "OFFERS_ENCRYPTION_KEY"],
])("rejects %s and suggests %s [D-90]", (name, suggestion) =>
  expect(readWith(name, "s3cret")).toThrow(
    new RegExp(`^Unknown setting ${name}; did you mean ${suggestion}\\? Correct its name, or remove it$`),
  ),
);

test("rejects an unknown name that does not resemble a setting", () =>
  expect(readWith("OFFERS_COFFEE_MACHINE", "")).toThrow(
    "Unknown setting OFFERS_COFFEE_MACHINE; remove it. The platform's OPERATING.md lists all settings",
  ));

test("OPERATING.md lists exactly the settings that the platform reads", () => {
  const page = readFileSync(join(import.meta.dirname, "..", "..", "OPERATING.md"), "utf8");
  const names = [...page.matchAll(/^\| `([A-Z_]+)` +\|/gm)].map(([, name]) => name ?? "");
  expect(names.sort()).toEqual([...settingNames].sort());
});

test("ignores the variables of other programs in the repository", () => {
  const otherVariables = [
    "OFFERS_BOOTSTRAPPED",
    "OFFERS_BASE_URL",
    "OFFERS_API_KEY",
    "OFFERS_USER_ID",
    "OFFERS_WEBHOOK_SECRET",
  ];
  for (const name of [...otherVariables, "PATH", "HOME"]) expect(readWith(name, "x")).not.toThrow();
});
