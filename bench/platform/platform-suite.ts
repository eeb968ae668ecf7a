import { setTimeout } from "node:timers/promises";
import { ForkedProcess } from "../../scripts/processes/forked-process.ts";
import { isPostgresRunning } from "../../scripts/test-database.ts";
import { type Comparison, compare } from "../comparison.ts";
import { collectSamples } from "../samples.ts";
import type { Suite, SuiteOptions } from "../suite.ts";
import { BenchPlatform, type StoreName } from "./platform.ts";

/** Measures the reference platform on both stores, or only on PGlite if no PostgreSQL responds at `DATABASE_URL` or 127.0.0.1:5432. */
export const measurePlatform: Suite = async (options) => {
  const stores: StoreName[] = (await isPostgresRunning()) ? ["PGlite", "PostgreSQL"] : ["PGlite"];
  const receiver = new ForkedProcess(new URL("receive.ts", import.meta.url));
  const receiverUrl = `http://127.0.0.1:${await receiver.waitForMessage<number>()}`;
  const comparisons: Comparison[] = [await measureDeliveries(stores, receiverUrl, options)];
  if (stores.includes("PostgreSQL")) comparisons.push(await measureSharedStore(receiverUrl, options));
  comparisons.push(await measureCreations(stores, receiverUrl, options));
  await receiver.stop();
  return comparisons;
};

/** Decides how much to measure. During the warm-up events, V8 compiles PGlite's WebAssembly and our code. */
const chooseRunSize = ({ quick }: SuiteOptions) =>
  quick ? { rounds: 1, warmUp: 500, events: 1_000 } : { rounds: 6, warmUp: 4_000, events: 6_000 };

/** Measures deliveries per second, each from a recorded event to a stored acknowledgement. */
async function measureDeliveryRate(
  store: StoreName,
  receiverUrl: string,
  { warmUp, events }: { warmUp: number; events: number },
  processCount = 1,
): Promise<number> {
  const platform = await BenchPlatform.start(store);
  // Every process compiles the code, so every process needs the warm-up.
  const warmUpCount = warmUp * processCount;
  const total = warmUpCount + events;
  await platform.recordEvents(total, receiverUrl);
  // `BenchPlatform.start` has already started one process.
  for (let running = 1; running < processCount; running += 1) await platform.addProcess();
  await platform.registerEndpoints(receiverUrl);
  await platform.waitUntilAcknowledged(total);
  await platform.stop();
  const warmedUpAt = platform.acknowledgedAt[warmUpCount - 1] ?? 0;
  const endedAt = platform.acknowledgedAt[total - 1] ?? 0;
  return (events * 1_000) / (endedAt - warmedUpAt);
}

async function measureDeliveries(
  stores: readonly StoreName[],
  receiverUrl: string,
  options: SuiteOptions,
): Promise<Comparison> {
  const { rounds, ...size } = chooseRunSize(options);
  const candidates = [
    { label: "undici.request, 50 connections, no store", measure: () => measureUpperBound(receiverUrl, size.events) },
    ...stores.map((store) => ({
      label: `**the platform** on ${store}`,
      measure: () => measureDeliveryRate(store, receiverUrl, size),
    })),
  ];
  const [samples] = await collectSamples(candidates, rounds, async ({ measure }) => [await measure()]);
  const title = "Deliveries of one process, from a recorded event to a stored acknowledgement";
  return compare({ title, unit: "per second", better: "higher" }, samples);
}

/** Measures how many requests per second undici sends without the platform. */
async function measureUpperBound(receiverUrl: string, events: number): Promise<number> {
  const child = new ForkedProcess(new URL("upper-bound.ts", import.meta.url), receiverUrl, String(events));
  const rate = await child.waitForMessage<number>();
  await child.stop();
  return rate;
}

async function measureSharedStore(receiverUrl: string, options: SuiteOptions): Promise<Comparison> {
  const { rounds, ...size } = chooseRunSize(options);
  const candidates = [1, 2, 4].map((processCount) => ({
    label: processCount === 1 ? "one process" : `${processCount} processes`,
    measure: () => measureDeliveryRate("PostgreSQL", receiverUrl, size, processCount),
  }));
  const [samples] = await collectSamples(candidates, rounds, async ({ measure }) => [await measure()]);
  const title = "Deliveries of processes that share one PostgreSQL";
  return compare({ title, unit: "per second", better: "higher" }, samples);
}

/** Measures the 99th percentile of the time to create an offer for ten workers, at twenty offers per second. */
async function measureCreations(
  stores: readonly StoreName[],
  receiverUrl: string,
  { quick }: SuiteOptions,
): Promise<Comparison> {
  const { rounds, creations, backlog } = quick
    ? { rounds: 1, creations: 40, backlog: 2_000 }
    : { rounds: 6, creations: 100, backlog: 20_000 };
  const candidates = stores.flatMap((store) => [
    { label: `${store}, nothing else to do`, measure: () => measureCreationP99(store, receiverUrl, creations, 0) },
    {
      label: `${store}, delivering all it can`,
      measure: () => measureCreationP99(store, receiverUrl, creations, backlog),
    },
  ]);
  const [samples] = await collectSamples(candidates, rounds, async ({ measure }) => [await measure()]);
  const title = "POST /offer to ten workers, 99th percentile";
  return compare({ title, unit: "ms", better: "lower" }, samples);
}

/** Measures the 99th percentile on a new platform. @param backlog how many deliveries are pending at the start @returns milliseconds */
async function measureCreationP99(
  store: StoreName,
  receiverUrl: string,
  count: number,
  backlog: number,
): Promise<number> {
  const platform = await BenchPlatform.start(store);
  await platform.recordEvents(backlog, receiverUrl);
  for (let warmUp = 0; warmUp < 20; warmUp += 1) await platform.createOffer(0, 10);
  await platform.registerEndpoints(receiverUrl);
  const measureCreation = async (): Promise<number> => {
    const startedAt = performance.now();
    await platform.createOffer(0, 10);
    return performance.now() - startedAt;
  };
  const measurements: Promise<number>[] = [];
  // Starts twenty creations a second, however long each takes, and stops early once the backlog has been delivered.
  while (measurements.length < count && (backlog === 0 || platform.acknowledgedAt.length < backlog)) {
    measurements.push(measureCreation());
    await setTimeout(50);
  }
  const sortedMs = (await Promise.all(measurements)).sort((a, b) => a - b);
  await platform.stop();
  return sortedMs[Math.ceil(sortedMs.length * 0.99) - 1] ?? Number.NaN;
}
