import type { StoreUnderTest, TestDatabase } from "../../examples/platform/test/support/stores/stores.ts";
import { ForkedProcess } from "../../tools/processes/forked-process.ts";
import { type Comparison, compare } from "../comparison.ts";
import { collectSamples } from "../samples.ts";
import type { SuiteOptions } from "../suite.ts";
import { makeBacklog } from "./backlog.ts";
import type { PlatformCandidate } from "./candidate.ts";
import { allAcknowledged, runPlatform } from "./running-platform.ts";

/** Enough that no endpoint's cap of eight attempts at a time holds anything up. */
const endpoints = 100;

const sizes = ({ quick }: SuiteOptions) =>
  // V8 compiles during the warm-up: PGlite's WebAssembly and ours, in threads that take half of the CPU for seconds.
  quick ? { rounds: 1, warmUp: 2_000, events: 4_000 } : { rounds: 6, warmUp: 12_000, events: 12_000 };

/** Events that are delivered in a second by one process, beside what its parts can do at most. */
export async function measureDeliveries(
  stores: readonly StoreUnderTest[],
  receiver: string,
  options: SuiteOptions,
): Promise<Comparison> {
  const { rounds, ...backlog } = sizes(options);
  const candidates: PlatformCandidate[] = [
    {
      label: "undici.request, 50 connections, no store",
      measure: () => rateOf("upper-bound.ts", receiver, String(backlog.events)),
    },
    ...stores.map((store) => ({
      label: `**the platform** on ${store.title}`,
      measure: () => deliveriesPerSecond(store, receiver, backlog, 1),
    })),
  ];
  const [samples] = await collectSamples(candidates, rounds, async (candidate) => [await candidate.measure()]);
  const title = "Deliveries of one process, from a recorded event to a stored acknowledgement";
  return compare({ title, unit: "per second", better: "higher" }, samples);
}

/** The same by up to four processes that share a store. */
export async function measureProcesses(
  store: StoreUnderTest,
  receiver: string,
  options: SuiteOptions,
): Promise<Comparison> {
  const { rounds, ...backlog } = sizes(options);
  const candidates = [1, 2, 3, 4].map((processes) => ({
    label: processes === 1 ? "one process" : `${processes} processes`,
    measure: () => deliveriesPerSecond(store, receiver, backlog, processes),
  }));
  const [samples] = await collectSamples(candidates, rounds, async (candidate) => [await candidate.measure()]);
  const title = `Deliveries of processes that share one ${store.title}`;
  return compare({ title, unit: "per second", better: "higher" }, samples);
}

async function rateOf(module: string, ...args: string[]): Promise<number> {
  const child = new ForkedProcess(new URL(module, import.meta.url), ...args);
  const rate = await child.message<number>();
  await child.stop();
  return rate;
}

async function withDatabase<T>(
  create: () => Promise<TestDatabase>,
  work: (database: TestDatabase) => Promise<T>,
): Promise<T> {
  const database = await create();
  try {
    return await work(database);
  } finally {
    await database.remove();
  }
}

const deliveriesPerSecond = (
  { createDatabase }: StoreUnderTest,
  baseAddress: string,
  { warmUp, events }: { readonly warmUp: number; readonly events: number },
  processes: number,
): Promise<number> =>
  withDatabase(createDatabase, async (database) => {
    const total = events + warmUp * processes;
    await makeBacklog(database, { endpoints, events: total, workers: 1, baseAddress });
    const platforms = await Promise.all(Array.from({ length: processes }, () => runPlatform(database)));
    const times = await allAcknowledged(platforms, total);
    await Promise.all(platforms.map((platform) => platform.stop()));
    const [from = 0, to = 0] = [times[warmUp * processes - 1], times[total - 1]];
    return events / ((to - from) / 1_000);
  });
