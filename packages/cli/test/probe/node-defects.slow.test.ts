import { describe, expect, test } from "vitest";
import type { Scheme } from "../../src/signature/sign-request.ts";
import { ambiguousHeaders, defectCases } from "./defects.ts";
import { probeLanguage } from "./probe-language.ts";

/**
 * The defects with the documented scheme, and the defect that is possible only with Standard Webhooks. languages.slow.test.ts tests all
 * defects in three other languages.
 */
const nodeDefects = defectCases.filter(
  ({ name, scheme }) => scheme === "timestampDigest" || name === "reserialised_json",
);

describe("a receiver in Node [D-104]", () => {
  test.each(["timestampDigest", "standardWebhooks"] as Scheme[])(
    "has no findings if it is correct: %s",
    async (scheme) => {
      const { defects, evidence, sent } = await probeLanguage("node", { scheme });
      expect(defects, evidence).toEqual([]);
      expect(sent).toBeGreaterThan(100);
    },
  );

  test.each(nodeDefects)("probe finds the defect $name: $scheme", async ({ name, scheme, expectedCodes, groups }) => {
    const { defects, evidence } = await probeLanguage("node", { scheme, defect: name, only: groups });
    expect(defects, evidence).toEqual(expectedCodes);
  });

  test.each(ambiguousHeaders)(
    "probe reports the defect $name first: $scheme",
    async ({ name, scheme, expectedCodes, groups }) => {
      const { defects, evidence } = await probeLanguage("node", { scheme, defect: name, only: groups });
      expect(defects.slice(0, 1), evidence).toEqual(expectedCodes);
    },
  );
});
