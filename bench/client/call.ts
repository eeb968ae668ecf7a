// Runs in a separate process, and measures calls with one client and with the base client, alternately.
import { readTask } from "../fresh-process.ts";
import { measureAlternately, type Pair } from "../pairs.ts";
import type { Calls, ClientCandidate } from "./candidate.ts";
import { stubFetch } from "./stub-fetch.ts";

/** Which clients to measure, at which URL, and how many calls to make. */
export interface CallTask {
  /** The URL of a module that exports a {@link ClientCandidate}. */
  readonly module: string;
  readonly baseModule: string;
  readonly baseUrl: string;
  /** Whether to measure CPU time with a stubbed fetch, instead of wall time with a server. */
  readonly usesStub: boolean;
  /** Calls to make before the measurement, so that V8 has compiled everything. */
  readonly warmUp: number;
  readonly slices: number;
  readonly callsPerSlice: number;
  /** How many calls are in progress at the same time. */
  readonly concurrency: number;
}

const { module, baseModule, baseUrl, usesStub, warmUp, slices, callsPerSlice, concurrency } = readTask<CallTask>();
if (usesStub) stubFetch();
const [base, candidate] = await Promise.all([openCalls(baseModule), openCalls(module)]);
// The results are sent in this order, which calls.ts relies on: GET, then POST.
const operations = ["read", "create"] as const satisfies readonly (keyof Calls)[];
for (const operation of operations)
  for (const calls of [base, candidate]) await measureCallTime(calls, operation, warmUp);
const pairs: Pair[] = [];
for (const operation of operations)
  pairs.push(
    await measureAlternately(
      slices,
      () => measureCallTime(base, operation, callsPerSlice),
      () => measureCallTime(candidate, operation, callsPerSlice),
    ),
  );
process.send?.(pairs);

async function openCalls(moduleUrl: string): Promise<Calls> {
  const { candidate } = (await import(moduleUrl)) as { candidate: ClientCandidate };
  return candidate.open(baseUrl);
}

/** Repeats a call `count` times. @returns microseconds per call */
async function measureCallTime(calls: Calls, operation: keyof Calls, count: number): Promise<number> {
  const startedAt = readClockMicroseconds();
  let remaining = count;
  const callRepeatedly = async () => {
    while (remaining > 0) {
      remaining -= 1;
      const { id } = await calls[operation]();
      if (id !== "offer_4f1c2a") throw new Error(`${baseModule} or ${module} did not return the offer.`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, callRepeatedly));
  return (readClockMicroseconds() - startedAt) / count;
}

/** Reads the CPU time if fetch is a stub, and the wall time if a server in another process responds. */
function readClockMicroseconds(): number {
  if (!usesStub) return performance.now() * 1_000;
  const { user, system } = process.cpuUsage();
  return user + system;
}
