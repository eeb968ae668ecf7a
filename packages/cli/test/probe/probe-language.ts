import { onTestFinished } from "vitest";
import { type ProbeResult, probe } from "../../src/probe/probe.ts";
import type { Scheme } from "../../src/signature/sign-request.ts";
import { type Language, secrets, startReceiver } from "../support/start-receiver.ts";

export interface ProbeRun {
  scheme: Scheme;
  /** The value of the DEFECT variable; without it, the receiver has no defect. */
  defect?: string;
  /** The groups and cases to send. @default all */
  only?: readonly string[];
  /** The groups and cases to skip. @default the stalled body, which takes 10 seconds */
  skip?: readonly string[];
  allowEvents?: boolean;
}

/** Starts the receiver in a language and probes it. @returns the defects that were found, and the cases that show them */
export async function probeLanguage(
  language: Language,
  { scheme, defect = "", only = [], skip = ["timing/stalled-body"], allowEvents = false }: ProbeRun,
): Promise<ProbeResult & { defects: string[]; evidence: string }> {
  const receiver = await startReceiver(language, scheme, defect);
  onTestFinished(async () => void (await receiver.stop()));
  const result = await probe({ url: receiver.url, scheme, secret: secrets[scheme], allowEvents, only, skip });
  const defects = result.findings.filter(({ severity }) => severity === "defect");
  const evidenceByCode = defects.map(({ code, evidence }) => [code, evidence.map(({ id, text }) => `${id}: ${text}`)]);
  return { ...result, defects: defects.map(({ code }) => code), evidence: JSON.stringify(evidenceByCode) };
}
