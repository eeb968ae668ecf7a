import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSettings, settingNames } from "./settings.ts";

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
])("%s is rejected, and %s is suggested", (name, meant) =>
  expect(readWith(name, "s3cret")).toThrow(
    new RegExp(`^Unknown setting ${name}; did you mean ${meant}\\? Correct its name, or remove it$`),
  ),
);

test("a name that resembles no setting is rejected too", () =>
  expect(readWith("OFFERS_COFFEE_MACHINE", "")).toThrow(
    "Unknown setting OFFERS_COFFEE_MACHINE; remove it; OPERATING.md of the platform lists all settings",
  ));

test("OPERATING.md lists exactly the settings", () => {
  const page = readFileSync(join(import.meta.dirname, "..", "..", "OPERATING.md"), "utf8");
  const names = [...page.matchAll(/^\| `([A-Z_]+)` +\|/gm)].map(([, name]) => name ?? "");
  expect(names.sort()).toEqual([...settingNames].sort());
});

test("variables of the repository's other programs are accepted", () => {
  const others = [
    "OFFERS_BOOTSTRAPPED",
    "OFFERS_BASE_URL",
    "OFFERS_API_KEY",
    "OFFERS_USER_ID",
    "OFFERS_WEBHOOK_SECRET",
  ];
  for (const name of [...others, "PATH", "HOME"]) expect(readWith(name, "x")).not.toThrow();
});
