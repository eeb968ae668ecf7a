import { getEventListeners } from "node:events";
import type { Fetch } from "@offers/client";
import { OffersClient } from "@offers/client";
import { ForkedProcess } from "../../processes/forked-process.ts";
import { makeCall } from "./call.ts";
import type { Counts } from "./server.ts";

export interface SoakOptions {
  calls: number;
  seed: number;
  /** How many calls are under way at a time. */
  concurrency: number;
  /** What carries the calls. Default the runtime's fetch */
  transport?: Transport;
}

export interface SoakReport {
  /** How many calls ended as data, or with each code. */
  outcomes: Readonly<Record<string, number>>;
  counts: Counts;
  /** The heap after each quarter, in bytes; of no meaning without `--expose-gc`. */
  heap: readonly number[];
  durationMs: number;
  /** Empty when the run passed. */
  faults: readonly string[];
}

/** The most time without a call that settles. */
const patienceMs = 30_000;
/** What a call that leaks something of 30 bytes would add to the heap over 75,000 calls, give or take. */
const maxGrowthBytes = 2_000_000;

/** Calls a service under faults, and looks for leaks. */
export async function soak({ calls, seed, concurrency, transport = runtimesFetch }: SoakOptions): Promise<SoakReport> {
  const startedAt = performance.now();
  const faults: string[] = [];
  const outcomes: Record<string, number> = {};
  const note = (fault: string) => void (faults.length < 20 && faults.push(fault));
  const onRejection = (reason: unknown) => note(`unhandled rejection: ${reason}`);
  const onWarning = (warning: Error) => note(`warning: ${warning.message}`);
  process.on("unhandledRejection", onRejection).on("warning", onWarning);
  const resourcesBefore = leakable().length;

  const server = new ForkedProcess(new URL("server.ts", import.meta.url), String(seed));
  const baseUrl = await server.message<string>();
  const offers = new OffersClient({
    baseUrl,
    apiKey: "key-of-harbour",
    timeoutMs: 1_000,
    totalTimeoutMs: 6_000,
    fetch: transport.fetch,
    middleware: [
      (request, next) => next({ ...request, headers: { ...request.headers, "x-attempt": `${request.attempt}` } }),
    ],
  });
  const { signal } = new AbortController();

  let begun = 0;
  let settledAt = performance.now();
  const callUntil = async (last: number) => {
    while (begun < last) {
      const { outcome, fault } = await makeCall(offers, seed, ++begun, signal);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      if (fault) note(fault);
      settledAt = performance.now();
    }
  };
  const settles = async (work: Promise<unknown>, otherwise: string) => {
    let watch: NodeJS.Timeout | undefined;
    const stuck = new Promise<never>((_, reject) => {
      watch = setInterval(() => {
        if (performance.now() - settledAt > patienceMs) reject(new Error(otherwise));
      }, 1_000);
    });
    await Promise.race([work, stuck]).finally(() => clearInterval(watch));
  };

  const heap: number[] = [];
  try {
    for (const quarter of [1, 2, 3, 4]) {
      const last = Math.floor((calls * quarter) / 4);
      const callers = Array.from({ length: concurrency }, () => callUntil(last));
      await settles(Promise.all(callers), "a call does not settle");
      heap.push(heapUsed());
    }
    const growth = (heap.at(-1) ?? 0) - (heap[0] ?? 0);
    if (growth > maxGrowthBytes) note(`the heap has grown by ${growth} bytes`);
    const listeners = getEventListeners(signal, "abort").length;
    if (listeners) note(`${listeners} listeners are left on the shared signal`);

    // It waits until every response is read.
    await settles(transport.close(), "the connections cannot be closed: a response was left unread");
    const counts = await server.request<Counts>("counts");
    if (counts.connections) note(`${counts.connections} connections are open at the service`);
    if (counts.repeated) note(`${counts.repeated} creations or completions arrived twice`);
    if (counts.redirectTarget) note(`${counts.redirectTarget} redirects were followed`);
    const left = leakable().slice(resourcesBefore);
    if (left.length) note(`still active: ${left}`);
    return { outcomes, counts, heap, durationMs: performance.now() - startedAt, faults };
  } finally {
    process.off("unhandledRejection", onRejection).off("warning", onWarning);
    await server.stop();
  }
}

const leakable = () => process.getActiveResourcesInfo().filter((name) => /^(TCP|TLS|Timeout)/.test(name));

/** After garbage collection; 0 without `--expose-gc`. */
function heapUsed(): number {
  if (!globalThis.gc) return 0;
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

/** What carries the calls, and closes the connections that it keeps for a while; it cannot be used afterwards. */
export interface Transport {
  fetch?: Fetch;
  close(): Promise<void>;
}

/** The runtime's own fetch, which has no public way to close its connections. */
export const runtimesFetch: Transport = {
  async close() {
    // Where there are several, for callers of several generations, they share their connections.
    const isDispatcher = ({ description }: symbol) => description?.startsWith("undici.globalDispatcher");
    const symbol = Object.getOwnPropertySymbols(globalThis).find(isDispatcher);
    if (symbol === undefined) throw new Error("this runtime's fetch is none of undici's");
    await Reflect.get(globalThis, symbol).close();
  },
};
