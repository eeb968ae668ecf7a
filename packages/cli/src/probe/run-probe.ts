import type { Scheme } from "../signature/sign-request.ts";
import { createMask, plural, UsageError } from "../terminal/output.ts";
import { readSecret } from "../terminal/read-secret.ts";
import { readVectors } from "../vectors/vectors.ts";
import { parseUrl } from "../wire/receiver-url.ts";
import { allGroupsFor, probe } from "./probe.ts";
import { countReported, printCases, printReport, toJsonReport } from "./report.ts";

export interface ProbeFlags {
  allowEvents?: true;
  only?: string[];
  skip?: string[];
  list?: true;
  scheme: Scheme;
  secretFile?: string;
  counter?: string;
  strict?: true;
  notes?: true;
  exact?: true;
  json?: true;
  timeout?: number;
}

/** Probes a receiver and prints the report. @returns the exit code: 0 without findings, 1 with findings */
export async function runProbe(urlText: string | undefined, flags: ProbeFlags): Promise<number> {
  const { scheme, only = [], skip = [], counter, timeout: timeoutMs, allowEvents = false } = flags;
  if (flags.list) {
    printCases(allGroupsFor(readVectors(), scheme));
    return 0;
  }
  if (urlText === undefined)
    throw new UsageError("Pass the base URL of your receiver, such as http://localhost:3001/offers.");
  const url = parseUrl(urlText);
  const secret = await readSecret(scheme, flags.secretFile);
  const previousSecret = process.env.WEBHOOK_SECRET_PREVIOUS || undefined;
  const { onProgress, clear } = createProgressBar(process.stderr);
  const options = { url, scheme, secret, previousSecret, only, skip, counter, timeoutMs, allowEvents, onProgress };
  const result = await probe(options).finally(clear);
  const mask = createMask([secret, previousSecret]);
  const isStrict = flags.strict === true || flags.exact === true;
  const isExact = flags.exact === true;
  if (flags.json) console.log(JSON.stringify(toJsonReport(result, url, mask), undefined, 2));
  else {
    const showNotes = flags.notes === true || isStrict;
    printReport(result, { url, mask, showNotes, isStrict, isExact }, process.stdout);
  }
  return countReported(result, { isStrict, isExact }) > 0 ? 1 : 0;
}

/** Creates a progress bar. It is shown only on a terminal, because a log would contain every update. */
function createProgressBar(stream: NodeJS.WriteStream): {
  onProgress(done: number, total: number): void;
  clear(): void;
} {
  if (!stream.isTTY) return { onProgress: () => undefined, clear: () => undefined };
  let shownAt = 0;
  return {
    onProgress(done, total) {
      const now = performance.now();
      if (now - shownAt < 100 && done < total) return;
      shownAt = now;
      const filledWidth = Math.floor((done / Math.max(1, total)) * 30);
      const bar = "█".repeat(filledWidth).padEnd(30, "░");
      stream.write(`\r  ${bar}  ${done} of ${plural(total, "case")}`);
    },
    clear: () => void stream.write("\r\x1b[2K"),
  };
}
