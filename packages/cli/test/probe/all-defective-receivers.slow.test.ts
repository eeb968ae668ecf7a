import { describe, expect, test } from "vitest";
import { describeRunnable, programs, runnable } from "../support/start-program.ts";
import { defectiveReceivers } from "./defective-receivers.ts";
import { probeProgram } from "./probe-program.ts";

// If a language is not installed, its tests are skipped, and this line reports it.
console.info(describeRunnable());

test("there are at least thirty defective receivers in four languages, and six correct ones", () => {
  expect(defectiveReceivers.length).toBeGreaterThanOrEqual(30);
  expect(new Set(defectiveReceivers.map(({ program }) => program)).size).toBe(4);
  expect(programs).toHaveLength(6);
});

const receivers = defectiveReceivers.filter(({ program }) => runnable.includes(program));

// Perl starts a process for each connection.
const timeout = 600_000;

describe.concurrent.each(receivers)(
  "a receiver in $program that $defect",
  ({ program, edits, env, expectedCode, expectedPhrase }) => {
    test("probe reports the defect first among all findings, with its remedy", { timeout }, async () => {
      const { findings } = await probeProgram(program, { edits, env });
      expect(findings[0]?.code, JSON.stringify(findings)).toBe(expectedCode);
      expect(findings[0]?.cases.join("\n")).toContain(expectedPhrase);
    });
  },
);

describe.each(["UTC", "America/St_Johns", "Pacific/Kiritimati"])("in %s", (TZ) => {
  test.each(runnable)("probe has neither findings nor notes about a correct receiver: %s", async (program) => {
    const { findings, notes, sent } = await probeProgram(program, { env: { TZ } });
    expect({ findings, notes }).toEqual({ findings: [], notes: [] });
    expect(sent).toBeGreaterThan(600);
  });
});
