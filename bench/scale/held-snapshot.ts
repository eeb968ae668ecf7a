import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { openStore } from "../../examples/platform/src/store/open-store.ts";
import { openSignals } from "../../examples/platform/src/store/signals.ts";
import { ForkedProcess } from "../../tools/processes/forked-process.ts";
import { type DataLocation, findPrograms, openDataLocation } from "../../tools/reliability/crash-test/data-location.ts";
import { type Comparison, compare } from "../comparison.ts";
import type { SuiteOptions } from "../suite.ts";
import { addBusy, addDue, addEach } from "./grow.ts";

const eventsPerSecond = 500;
const tickMs = 20;

/** As long as a backup, or until an alert is seen; and as long before it, so that no phase is the first beside a history. */
const sizes = ({ quick }: SuiteOptions) =>
  quick
    ? { bursts: 2, events: 1_000, heldSeconds: 5, recoverySeconds: 2 }
    : { bursts: 6, events: 4_000, heldSeconds: 600, recoverySeconds: 60 };

/**
 * What a transaction costs that was left open: PostgreSQL removes no row that was deleted after its snapshot, and every scan that
 * begins before these meets them. Events come at a steady rate all the time; in between, bursts show how fast one process claims and settles.
 */
export async function measureHeldSnapshot(options: SuiteOptions): Promise<Comparison[]> {
  const place = await openDataLocation("postgres", findPrograms() !== undefined);
  try {
    const rates = await measureBursts(place, sizes(options));
    const title = `Claimed and settled beside a snapshot that is held, ${eventsPerSecond} events a second, ${place.title}`;
    return [compare({ title, unit: "per second", better: "higher" }, rates)];
  } finally {
    await place.remove();
  }
}

async function measureBursts(
  { options }: DataLocation,
  { bursts, events, heldSeconds, recoverySeconds }: ReturnType<typeof sizes>,
): Promise<Map<string, number[]>> {
  const store = await openStore(options);
  const signals = openSignals(store, { onError: (error) => console.error(error) });
  await addBusy(store);
  const child = new ForkedProcess(new URL("../growth/deliver.ts", import.meta.url), JSON.stringify(options));
  let settled = 0;
  let added = 0;
  child.onMessage<number>((group) => {
    settled += group;
  });
  const allSettled = async (): Promise<void> => {
    while (settled < added) await setTimeout(2);
  };
  const add = (count: number, insert: typeof addDue): Promise<void> => {
    added += count;
    return insert(store, count);
  };
  const runSteadily = async (seconds: number): Promise<void> => {
    const from = performance.now();
    for (let tick = 0; tick < (seconds * 1_000) / tickMs; tick += 1) {
      await add((eventsPerSecond * tickMs) / 1_000, addEach);
      await setTimeout(Math.max(0, from + tick * tickMs - performance.now()));
    }
    await allSettled();
  };
  const measure = async (): Promise<number[]> => {
    const rates: number[] = [];
    for (let burst = 0; burst < bursts; burst += 1) {
      const from = performance.now();
      await add(events, addDue);
      await allSettled();
      rates.push((events * 1_000) / (performance.now() - from));
    }
    return rates;
  };
  const forgotten = new pg.Client({ connectionString: options.databaseUrl });
  await forgotten.connect();
  await runSteadily(heldSeconds);
  const rates = new Map([[`${heldSeconds} s without one`, await measure()]]);
  await forgotten.query("begin isolation level repeatable read; select from deliveries limit 1");
  await runSteadily(heldSeconds);
  rates.set(`held for ${heldSeconds} s`, await measure());
  await forgotten.query("commit");
  await runSteadily(recoverySeconds);
  rates.set(`${recoverySeconds} s after its end`, await measure());
  await forgotten.end();
  await child.stop();
  await signals.stop();
  await store.close();
  return rates;
}
