import { expect, test } from "vitest";
import { readSettings } from "./settings.ts";

const settings = (environment: Record<string, string>) => readSettings(environment, "example");

test("an empty environment is enough", () =>
  expect(settings({})).toMatchObject({
    port: 3000,
    host: "127.0.0.1",
    dataFolder: "example/data/platform",
    databaseUrl: undefined,
    dialect: "reference",
    allowLoopback: false,
    showAllMail: false,
    bodyLimitBytes: 1_048_576,
    logLevel: "info",
  }));

test("a variable that is set to nothing counts as not set", () =>
  expect(settings({ PORT: "", DATABASE_URL: "", OFFERS_DATA: "", OFFERS_SEED: "" })).toEqual(settings({})));

test("a retry schedule is a list of pauses", () =>
  expect(settings({ OFFERS_RETRY_SCHEDULE: "250ms, 1s,2m,3h" }).retrySchedule.delaysMs).toEqual([
    250, 1_000, 120_000, 10_800_000,
  ]));

test("the default retry schedule makes ten attempts over about 45 hours", () => {
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
])("%s=%s is refused by name, with a remedy", (name, value) =>
  expect(() => settings({ [name]: value })).toThrow(new RegExp(`^${name} is not usable; write `)),
);
