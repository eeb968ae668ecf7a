import type { Scheme } from "../corpus/scheme.ts";
import { readUrl } from "../exchange/read-url.ts";
import { probe } from "../probe/probe.ts";
import { maskSecrets } from "../terminal/mask-secrets.ts";
import { readSecret } from "../terminal/read-secret.ts";
import { printReport } from "./print-report.ts";
import { showProgress } from "./show-progress.ts";
import { toJson } from "./to-json.ts";

export interface ProbeFlags {
  allowEvents?: true;
  only: string[];
  skip: string[];
  scheme: Scheme;
  secretFile?: string;
  counter?: string;
  strict?: true;
  notes?: true;
  json?: true;
  timeoutMs: number;
}

/** Probes and prints the report. @returns the exit code: 0 without findings, 1 with them */
export async function runProbe(address: string, flags: ProbeFlags): Promise<number> {
  const url = readUrl(address);
  const secret = await readSecret(flags.scheme, flags.secretFile);
  const previousSecret = process.env.WEBHOOK_SECRET_PREVIOUS || undefined;
  const { scheme, only, skip, counter, timeoutMs } = flags;
  const progress = showProgress(process.stderr);
  const result = await probe({
    ...{ url, scheme, secret, previousSecret, only, skip, counter, timeoutMs },
    ...{ allowEvents: flags.allowEvents === true, onProgress: progress.update },
  }).finally(progress.clear);
  const mask = maskSecrets([secret, previousSecret]);
  if (flags.json) console.log(JSON.stringify(toJson(result, url, mask), undefined, 2));
  else printReport(result, { url, mask, showNotes: flags.notes === true || flags.strict === true }, process.stdout);
  return result.findings.length > 0 || (flags.strict === true && result.notes.length > 0) ? 1 : 0;
}
