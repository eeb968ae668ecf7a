import { setTimeout } from "node:timers/promises";
import { Agent, request } from "undici";
import { openStore } from "../../examples/platform/src/store/open-store.ts";
import type { StoreUnderTest, TestDatabase } from "../../examples/platform/test/support/stores/stores.ts";
import { type Comparison, compare } from "../comparison.ts";
import { collectSamples } from "../samples.ts";
import type { SuiteOptions } from "../suite.ts";
import { apiKey, makeBacklog, workerId } from "./backlog.ts";
import { type RunningPlatform, runPlatform } from "./running-platform.ts";

const workers = 10;
/** Twenty a second, however long each takes. */
const pauseMs = 50;
/** More than are delivered meanwhile: ten thousand a second. */
const eventsPerCreation = 500;
/** More than are deleted meanwhile: a million in all. */
const expiredPerCreation = 5_000;

/** The 99th percentile of the time that creating an offer for ten workers takes. */
export async function measureCreations(
  stores: readonly StoreUnderTest[],
  receiver: string,
  { quick }: SuiteOptions,
): Promise<Comparison> {
  const [rounds, creations] = quick ? [1, 60] : [6, 200];
  const candidates = stores.flatMap((store) => [
    { label: `${store.title}, nothing else to do`, measure: () => worstOf(store, receiver, creations, {}) },
    {
      label: `${store.title}, delivering all it can`,
      measure: () => worstOf(store, receiver, creations, { events: creations * eventsPerCreation }),
    },
    {
      label: `${store.title}, delivering all it can beside retention`,
      measure: () =>
        worstOf(store, receiver, creations, {
          events: creations * eventsPerCreation,
          expired: creations * expiredPerCreation,
        }),
    },
  ]);
  const [samples] = await collectSamples(candidates, rounds, async (candidate) => [await candidate.measure()]);
  const title = "POST /offer to ten workers, 99th percentile";
  return compare({ title, unit: "ms", better: "lower" }, samples);
}

async function worstOf(
  { createDatabase }: StoreUnderTest,
  baseAddress: string,
  creations: number,
  { events = 0, expired = 0 }: { events?: number; expired?: number },
): Promise<number> {
  const database = await createDatabase();
  await makeBacklog(database, { endpoints: 100, events, workers, expired, baseAddress });
  const platform = await runPlatform(database);
  const times = await createOffers(platform, creations);
  const isBusy = events === 0 || platform.acknowledged.length < events;
  await platform.stop();
  const isPurging = expired === 0 || (await holdsExpired(database));
  await database.remove();
  if (!isPurging) throw new Error("all that had expired was deleted before the last offer was created");
  if (!isBusy) throw new Error("all was delivered before the last offer was created");
  return times.sort((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN;
}

async function holdsExpired({ options }: TestDatabase): Promise<boolean> {
  const store = await openStore(options);
  const { rows } = await store.execute("select from deliveries where settled_at < now() - interval '99 days' limit 1");
  await store.close();
  return rows.length > 0;
}

async function createOffers({ address }: RunningPlatform, count: number): Promise<number[]> {
  const dispatcher = new Agent();
  const create = async (): Promise<number> => {
    const start = performance.now();
    const response = await request(`${address}/offer`, {
      dispatcher,
      method: "POST",
      headers: { "content-type": "application/json", "x-ue-api-subscription-key": apiKey },
      body: JSON.stringify({
        createdByUserId: "person-1",
        title: "Bar",
        workerIds: Array.from({ length: workers }, (_, number) => workerId(number)),
      }),
    });
    await response.body.dump();
    if (response.statusCode !== 201) throw new Error(`a creation got ${response.statusCode}`);
    return performance.now() - start;
  };
  for (let warmUp = 0; warmUp < 20; warmUp += 1) await create();
  const times: Promise<number>[] = [];
  for (let created = 0; created < count; created += 1) {
    times.push(create());
    await setTimeout(pauseMs);
  }
  const all = await Promise.all(times);
  await dispatcher.close();
  return all;
}
