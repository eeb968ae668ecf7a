import { describe, expect, test } from "vitest";
import { describeRunnable, runnable } from "../support/start-program.ts";
import { defectiveReceivers } from "./defective-receivers.ts";
import { probeProgram } from "./probe-program.ts";

// If a language is not installed, its tests are skipped, and this line reports it.
console.info(describeRunnable());

const mainReceivers = defectiveReceivers.filter(({ isMain, program }) => isMain && runnable.includes(program));

describe.each(mainReceivers)(
  "a receiver in $program that $defect",
  ({ program, edits, env, only, expectedCode, expectedPhrase }) => {
    test("probe reports the defect first, with its remedy [D-104]", async () => {
      const { findings } = await probeProgram(program, { edits, env, only });
      expect(findings[0]?.code, JSON.stringify(findings)).toBe(expectedCode);
      expect(findings[0]?.cases.join("\n")).toContain(expectedPhrase);
    });
  },
);

/** All cases except those that depend on the HTTP parser of a server, or on the size of a body. */
const quickCases = [
  "digests",
  "freshness",
  "headers",
  "methods",
  "payloads",
  "routes",
  "timestamps",
  "bodies/in-chunks",
];

/** all-defective-receivers.slow.test.ts sends every case to all six programs, in three time zones. */
const correctPrograms = (["node", "python", "express"] as const).filter((program) => runnable.includes(program));

test.each(correctPrograms)("probe has neither findings nor notes about a correct receiver: %s", async (program) => {
  const { findings, notes, sent } = await probeProgram(program, { only: quickCases, env: { TZ: "America/St_Johns" } });
  expect({ findings, notes }).toEqual({ findings: [], notes: [] });
  expect(sent).toBeGreaterThan(300);
});
