// Calls of one client and of the base, in turns, in a separate process.
import { readTask } from "../fresh-process.ts";
import { measureInTurns, type Pair } from "../pairs.ts";
import type { Calls, ClientCandidate } from "./candidate.ts";
import { stubFetch } from "./stub-fetch.ts";

/** What is called, and how often. */
export interface CallTask {
  /** The name of a {@link ClientCandidate}. */
  readonly module: string;
  readonly baseModule: string;
  readonly baseUrl: string;
  /** Whether fetch is a stub and CPU time is counted; otherwise wall time, because the server takes part. */
  readonly onStub: boolean;
  /** Calls before the measurement, until V8 has compiled everything. */
  readonly warmUp: number;
  readonly slices: number;
  readonly callsPerSlice: number;
}

const { module, baseModule, baseUrl, onStub, warmUp, slices, callsPerSlice } = readTask<CallTask>();
if (onStub) stubFetch();
const [base, candidate] = await Promise.all([open(baseModule), open(module)]);
const operations = ["read", "create"] as const satisfies readonly (keyof Calls)[];
for (const operation of operations) for (const calls of [base, candidate]) await timeOf(calls, operation, warmUp);
const pairs: Pair[] = [];
for (const operation of operations)
  pairs.push(
    await measureInTurns(
      slices,
      () => timeOf(base, operation, callsPerSlice),
      () => timeOf(candidate, operation, callsPerSlice),
    ),
  );
process.send?.(pairs);

async function open(url: string): Promise<Calls> {
  const { candidate: one } = (await import(url)) as { candidate: ClientCandidate };
  return one.open(baseUrl);
}

/** @returns microseconds per call */
async function timeOf(calls: Calls, operation: keyof Calls, count: number): Promise<number> {
  const startedAt = microseconds();
  for (let call = 0; call < count; call += 1) {
    const { id } = await calls[operation]();
    if (id !== "offer_4f1c2a") throw new Error(`${module} got no offer.`);
  }
  return (microseconds() - startedAt) / count;
}

function microseconds(): number {
  if (!onStub) return performance.now() * 1_000;
  const { user, system } = process.cpuUsage();
  return user + system;
}
