// Calls of one client in a process of its own.
import { readTask } from "../fresh-process.ts";
import { median } from "../median.ts";
import type { Calls, Candidate } from "./candidate.ts";
import { stubFetch } from "./stub-fetch.ts";

/** What is called, and how often. */
export interface CallTask {
  /** Of a {@link Candidate}. */
  readonly module: string;
  readonly baseUrl: string;
  /** Whether fetch is a stub, and CPU time is counted; wall time otherwise, for the server takes part. */
  readonly onStub: boolean;
  /** Until the compiler has seen everything. */
  readonly warmUp: number;
  readonly slices: number;
  readonly callsPerSlice: number;
}

const { module, baseUrl, onStub, warmUp, slices, callsPerSlice } = readTask<CallTask>();
const { candidate } = (await import(module)) as { candidate: Candidate };
if (onStub) stubFetch();
const calls = candidate.open(baseUrl);
const operations = ["read", "create"] as const satisfies readonly (keyof Calls)[];
for (const operation of operations) await timeOf(operation, warmUp);
const figures: number[] = [];
for (const operation of operations) {
  const times: number[] = [];
  for (let slice = 0; slice < slices; slice += 1) times.push(await timeOf(operation, callsPerSlice));
  // A pause of the machine falls into one slice.
  figures.push(median(times));
}
process.send?.(figures);

/** @returns microseconds per call */
async function timeOf(operation: keyof Calls, count: number): Promise<number> {
  const startedAt = microseconds();
  for (let call = 0; call < count; call += 1) {
    const { id } = await calls[operation]();
    if (id !== "offer_4f1c2a") throw new Error(`${candidate.label} got no offer.`);
  }
  return (microseconds() - startedAt) / count;
}

function microseconds(): number {
  if (!onStub) return performance.now() * 1_000;
  const { user, system } = process.cpuUsage();
  return user + system;
}
