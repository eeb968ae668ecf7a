import { describe, expect, test } from "vitest";
import type { Scheme } from "../../src/signature/sign-request.ts";
import { plantedDefects } from "./planted-defects.ts";
import { probePlanted } from "./probe-planted.ts";

/** One of those that wait for ten seconds. The slow suite has every case and five other languages. */
const quicklyFound = plantedDefects.filter(
  ({ name, scheme }) => name !== "body_unlimited" || scheme === "timestampDigest",
);

describe("a receiver in Node", () => {
  test.each(["timestampDigest", "standardWebhooks"] as Scheme[])(
    "has no findings if it is correct: %s",
    async (scheme) => {
      const { defects, evidence, sent } = await probePlanted("node", { scheme });
      expect(defects, evidence).toEqual([]);
      expect(sent).toBeGreaterThan(100);
    },
  );

  test.each(quicklyFound)("$name is found: $scheme", async ({ name, scheme, found, groups }) => {
    const { defects, evidence } = await probePlanted("node", { scheme, defect: name, only: groups });
    expect(defects, evidence).toEqual(found);
  });
});
