import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkSettingNames } from "./setting-names.ts";

test.each([
  ["OFFERS_DIALEKT", "OFFERS_DIALECT"],
  ["offers_data", "OFFERS_DATA"],
  ["OFFERS_DATA_DIR", "OFFERS_DATA"],
  ["OFFERS_TRUSTED_PROXY", "OFFERS_TRUSTED_PROXIES"],
  ["OFFERS_RATELIMIT", "OFFERS_RATE_LIMIT"],
  ["OFFERS_LOGLEVEL", "OFFERS_LOG_LEVEL"],
  ["OFFERS_PUBLIC_URL", "OFFERS_PUBLIC_ORIGIN"],
  ["OFFERS_ENCRYPTIONKEY", "OFFERS_ENCRYPTION_KEY"],
])("%s is refused, and %s is named", (name, meant) => {
  const refused = () => checkSettingNames({ [name]: "s3cret" });
  expect(refused).toThrow(
    `${name} is no setting of the platform; did you mean ${meant}? Correct its name, or remove it`,
  );
  expect(refused).toThrow(/^(?!.*s3cret)/);
});

test("a name that resembles no setting is refused too", () =>
  expect(() => checkSettingNames({ OFFERS_COFFEE_MACHINE: "" })).toThrow(
    "OFFERS_COFFEE_MACHINE is no setting of the platform; remove it; the README of the platform lists all settings",
  ));

test("every setting of the README is known, and so are those of the repository's other programs", () => {
  const readme = readFileSync(join(import.meta.dirname, "..", "README.md"), "utf8");
  const names = [...readme.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, name]) => name ?? "");
  expect(names.length).toBeGreaterThan(15);
  const others = [
    "OFFERS_BOOTSTRAPPED",
    "OFFERS_BASE_URL",
    "OFFERS_API_KEY",
    "OFFERS_USER_ID",
    "OFFERS_WEBHOOK_SECRET",
  ];
  for (const name of [...names, ...others, "PATH", "HOME"]) checkSettingNames({ [name]: "x" });
});
