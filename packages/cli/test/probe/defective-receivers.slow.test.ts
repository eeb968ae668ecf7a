import { describe, expect, test } from "vitest";
import { describeRunnable, runnable } from "../support/start-program.ts";
import { defectiveReceivers } from "./defective-receivers.ts";
import { probeProgram } from "./probe-program.ts";

// If the machine lacks a language, the test passes and prints what it skipped.
console.info(describeRunnable());

const main = defectiveReceivers.filter(({ isMain, program }) => isMain && runnable.includes(program));

describe.each(main)("a receiver in $program that $defect", ({ program, edits, env, only, found, says }) => {
  test("the defect is reported first, with its remedy [D-104]", async () => {
    const { findings } = await probeProgram(program, { edits, env, only });
    expect(findings[0]?.code, JSON.stringify(findings)).toBe(found);
    expect(findings[0]?.cases.join("\n")).toContain(says);
  });
});

/** All cases except those that depend on a server's own parser, or on the size of a body. */
const quick = ["digests", "freshness", "headers", "methods", "payloads", "routes", "timestamps", "bodies/in-chunks"];

/** all-defective-receivers.slow.test.ts sends every case to all six programs, in three time zones. */
const correctPrograms = (["node", "python", "express"] as const).filter((program) => runnable.includes(program));

test.each(correctPrograms)("a correct receiver has neither findings nor notes: %s", async (program) => {
  const { findings, notes, sent } = await probeProgram(program, { only: quick, env: { TZ: "America/St_Johns" } });
  expect({ findings, notes }).toEqual({ findings: [], notes: [] });
  expect(sent).toBeGreaterThan(300);
});
