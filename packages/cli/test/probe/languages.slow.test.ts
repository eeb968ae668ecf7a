import { describe, expect, test } from "vitest";
import type { Scheme } from "../../src/signature/sign-request.ts";
import { isInstalled, type Language, languages } from "../support/start-receiver.ts";
import { defectCases } from "./defects.ts";
import { probeLanguage } from "./probe-language.ts";

const allLanguages = Object.keys(languages) as Language[];
const installedLanguages = allLanguages.filter(isInstalled);
const missingLanguages = allLanguages.filter((language) => !installedLanguages.includes(language));
// If a language is not installed, its tests are skipped. On Debian: apt-get install php-cli perl ruby.
const missingNote = missingLanguages.length > 0 ? `; not installed, so not tried: ${missingLanguages.join(", ")}` : "";
console.info(`receivers under test: ${installedLanguages.join(", ")}${missingNote}`);

describe.each(installedLanguages)("a receiver in %s", (language) => {
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

  test.each(defectCases)("probe finds the defect $name: $scheme", async ({ name, scheme, expectedCodes }) => {
    const { defects, evidence } = await probeLanguage(language, { scheme, defect: name });
    expect(defects, evidence).toEqual(expectedCodes);
  });
});
