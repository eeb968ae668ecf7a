import { afterAll, describe, expect, test } from "vitest";
import type { Scheme } from "../../src/corpus/scheme.ts";
import { type ProbeResult, probe } from "../../src/probe/probe.ts";
import { type Language, secrets, startReceiver } from "../support/start-receiver.ts";
import { plantedDefects } from "./planted-defects.ts";

export interface DefectsSuite {
  /** Only the groups that show a planted defect, and no case that takes seconds. */
  isShort?: boolean;
}

/** Finds each planted defect in the receiver of a language, and nothing in the correct one. */
export function describeDefects(language: Language, { isShort = false }: DefectsSuite = {}): void {
  const started: { stop(): Promise<unknown> }[] = [];
  afterAll(() => Promise.all(started.map((receiver) => receiver.stop())));

  const probed = async (
    scheme: Scheme,
    defect = "",
    groups: string[] = [],
    allowEvents = false,
  ): Promise<ProbeResult> => {
    const receiver = await startReceiver(language, scheme, defect);
    started.push(receiver);
    // The stalled body takes 10 seconds.
    const skip = defect === "" && !isShort ? [] : ["timing/stalled-body"];
    return probe({
      ...{ url: receiver.url, scheme, secret: secrets[scheme], allowEvents, only: isShort ? groups : [], skip },
    });
  };
  const defectsOf = ({ findings }: ProbeResult) => findings.map(({ defect }) => defect);
  const evidenceOf = ({ findings }: ProbeResult) =>
    JSON.stringify(findings.map(({ defect, evidence }) => [defect, evidence.map(({ id, text }) => `${id}: ${text}`)]));

  describe(`a receiver in ${language}`, () => {
    test.each(["timestampDigest", "standardWebhooks"] as const)(
      "has no findings if it is correct: %s",
      async (scheme) => {
        const result = await probed(scheme);
        expect(defectsOf(result), evidenceOf(result)).toEqual([]);
        expect(result.sent).toBeGreaterThan(100);
      },
    );

    test("has no findings if it is correct and gets events", async () => {
      const result = await probed("timestampDigest", "", [], true);
      expect(defectsOf(result), evidenceOf(result)).toEqual([]);
    });

    test.each(plantedDefects)("$name is found: $scheme", async ({ name, scheme, found, groups }) => {
      const result = await probed(scheme, name, groups);
      expect(defectsOf(result), evidenceOf(result)).toEqual(found);
    });
  });
}
