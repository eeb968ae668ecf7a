import { probe } from "../../src/probe/probe.ts";
import { type Edit, type Program, startProgram } from "../support/start-program.ts";
import { secrets } from "../support/start-receiver.ts";

export interface ProgramRun {
  edits?: readonly Edit[];
  env?: Record<string, string> | undefined;
  /** Groups and cases; all without it. */
  only?: readonly string[] | undefined;
}

/** Starts a program for the test and probes it, events included. @returns each finding and note, with the cases that show it */
export async function probeProgram(program: Program, { edits = [], env = {}, only = [] }: ProgramRun = {}) {
  const { url, stop } = await startProgram(program, edits, env);
  const result = await probe({
    url,
    scheme: "timestampDigest",
    secret: secrets.timestampDigest,
    allowEvents: true,
    only,
    // The stalled body takes 15 seconds.
    skip: ["timing"],
    // Not onTestFinished: among concurrent tests it does not know whose program it stops.
  }).finally(stop);
  return {
    sent: result.sent,
    findings: result.findings.map(({ defect, evidence }) => ({
      defect,
      cases: evidence.map(({ id, text }) => `${id}: ${text}`),
    })),
    notes: result.notes.map(({ note, evidence }) => ({
      note,
      cases: evidence.map(({ id, text }) => `${id}: ${text}`),
    })),
  };
}
