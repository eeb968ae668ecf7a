import type { Finding } from "../../src/probe/explain.ts";
import { probe } from "../../src/probe/probe.ts";
import { type Edit, type Program, startProgram } from "../support/start-program.ts";
import { secrets } from "../support/start-receiver.ts";

export interface ProgramRun {
  edits?: readonly Edit[];
  env?: Record<string, string> | undefined;
  /** The groups and cases to send. @default all */
  only?: readonly string[] | undefined;
}

/** Starts a program and probes it, including events. @returns each finding and note, with the cases that show it */
export async function probeProgram(program: Program, { edits = [], env = {}, only = [] }: ProgramRun = {}) {
  const { url, stop } = await startProgram(program, edits, env);
  const result = await probe({
    url,
    scheme: "timestampDigest",
    secret: secrets.timestampDigest,
    allowEvents: true,
    only,
    // The cases with a stalled body take up to 15 seconds.
    skip: ["timing"],
    // Not onTestFinished, because in concurrent tests it cannot determine the test to which it belongs.
  }).finally(stop);
  const selectFindings = (severity: Finding["severity"]) =>
    result.findings
      .filter((finding) => finding.severity === severity)
      .map(({ code, evidence }) => ({ code, cases: evidence.map(({ id, text }) => `${id}: ${text}`) }));
  return { sent: result.sent, findings: selectFindings("defect"), notes: selectFindings("note") };
}
