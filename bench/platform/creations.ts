import { setTimeout } from "node:timers/promises";
import { Agent, request } from "undici";
import type { StoreUnderTest } from "../../examples/platform/test/support/stores/stores.ts";
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

/** The 99th percentile of the time that creating an offer for ten workers takes. */
export async function measureCreations(
  stores: readonly StoreUnderTest[],
  receiver: string,
  { quick }: SuiteOptions,
): Promise<Comparison> {
  const [rounds, creations] = quick ? [1, 60] : [6, 200];
  const candidates = stores.flatMap((store) => [
    { label: `${store.title}, nothing else to do`, measure: () => worstOf(store, receiver, creations, 0) },
    {
      label: `${store.title}, delivering all it can`,
      measure: () => worstOf(store, receiver, creations, creations * eventsPerCreation),
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
  events: number,
): Promise<number> {
  const database = await createDatabase();
  await makeBacklog(database, { endpoints: 100, events, workers, baseAddress });
  const platform = await runPlatform(database);
  const times = await createOffers(platform, creations);
  const isBusy = events === 0 || platform.acknowledged.length < events;
  await platform.stop();
  await database.remove();
  if (!isBusy) throw new Error("all was delivered before the last offer was created");
  return times.sort((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN;
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
