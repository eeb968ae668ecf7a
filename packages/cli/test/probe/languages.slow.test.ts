import { describe, expect, test } from "vitest";
import type { Scheme } from "../../src/signature/sign-request.ts";
import { isInstalled, type Language, languages } from "../support/start-receiver.ts";
import { defectCases } from "./defects.ts";
import { probeLanguage } from "./probe-language.ts";

const all = Object.keys(languages) as Language[];
const installed = all.filter(isInstalled);
const missing = all.filter((language) => !installed.includes(language));
// If the machine lacks a language, the test passes. On Debian: apt-get install php-cli perl ruby.
console.info(
  `receivers under test: ${installed.join(", ")}${missing.length > 0 ? `; not installed, so not tried: ${missing.join(", ")}` : ""}`,
);

describe.each(installed)("a receiver in %s", (language) => {
  test.each(["timestampDigest", "standardWebhooks"] as Scheme[])(
    "has no findings if it is correct: %s",
    async (scheme) => {
      const { defects, evidence } = await probeLanguage(language, { scheme, skip: [] });
      expect(defects, evidence).toEqual([]);
    },
  );

  test("has no findings if it is correct and receives events", async () => {
    const { defects, evidence } = await probeLanguage(language, { scheme: "timestampDigest", allowEvents: true });
    expect(defects, evidence).toEqual([]);
  });

  test.each(defectCases)("$name is found: $scheme", async ({ name, scheme, found }) => {
    const { defects, evidence } = await probeLanguage(language, { scheme, defect: name });
    expect(defects, evidence).toEqual(found);
  });
});
