import { setTimeout } from "node:timers/promises";
import { openStore } from "../../examples/platform/src/store/open-store.ts";
import { storesUnderTest, type TestDatabase } from "../../examples/platform/test/support/stores/stores.ts";
import { ForkedProcess } from "../../tools/processes/forked-process.ts";
import { type Comparison, compare } from "../comparison.ts";
import { makeBacklog } from "../platform/backlog.ts";
import { allAcknowledged, runPlatform } from "../platform/running-platform.ts";
import { collectSamples } from "../samples.ts";
import type { Suite, SuiteOptions } from "../suite.ts";
import { openCpuShare } from "./cpu-share.ts";
import { measureLoad } from "./database-load.ts";

/** Enough that no endpoint's cap of eight attempts at a time holds up four processes of 512 attempts each. */
const endpoints = 400;
/** Of a process that is held to a part of a core. */
const share = 0.15;
const processes = [1, 2, 4];

const labelOf = (count: number): string => (count === 1 ? "one process" : `${count} processes`);

/** What processes add to each other on one PostgreSQL, where the machine's cores are not the limit of all of them. */
export const measureGrowth: Suite = async (options) => {
  const store = (await storesUnderTest()).find(({ title }) => title !== "PGlite");
  if (store === undefined) throw new Error("The suite growth needs a PostgreSQL at 127.0.0.1:5432 or DATABASE_URL.");
  const withDatabase = async <T>(work: (database: TestDatabase) => Promise<T>): Promise<T> => {
    const database = await store.createDatabase();
    return work(database).finally(database.remove);
  };
  const { rounds } = sizes(options);
  const measure = (work: (database: TestDatabase, count: number) => Promise<number[]>) =>
    collectSamples(
      processes.map((count) => ({ label: labelOf(count), count })),
      rounds,
      ({ count }) => withDatabase((database) => work(database, count)),
    );
  const [rates, free, cpu] = await measure((database, count) => deliverWithoutRequests(database, count, options));
  const title = (of: string) => `${of}, ${store.title}`;
  const comparisons: Comparison[] = [
    compare({ title: title("Claimed and settled without requests"), unit: "per second", better: "higher" }, rates),
    compare({ title: title("Time that each process waits for no lock"), unit: "%", better: "higher" }, free),
    compare({ title: title("The database's CPU for each delivery"), unit: "µs", better: "lower" }, cpu),
  ];
  const test = openCpuShare(share);
  if (test === undefined) {
    console.log("Processes with a part of a core are not measured: no control group can be made here.\n");
    return comparisons;
  }
  test.remove();
  const receiver = new ForkedProcess(new URL("../platform/receive.ts", import.meta.url));
  const address = `http://127.0.0.1:${await receiver.message<number>()}`;
  const [held] = await measure((database, count) => deliverWithShare(database, count, address, options));
  await receiver.stop();
  const heldTitle = title(`Deliveries of processes that have ${share} of a core each`);
  return [...comparisons, compare({ title: heldTitle, unit: "per second", better: "higher" }, held)];
};

const sizes = ({ quick }: SuiteOptions) =>
  quick
    ? { rounds: 1, warmUp: 1_000, events: 2_000, seconds: 2 }
    : { rounds: 6, warmUp: 6_000, events: 20_000, seconds: 8 };

/** @returns deliveries in a second, the share of its time that a process waits for no lock, and the database's CPU for one */
async function deliverWithoutRequests(database: TestDatabase, count: number, options: SuiteOptions): Promise<number[]> {
  const { databaseUrl = "" } = database.options;
  const { warmUp, events } = sizes(options);
  const total = warmUp * count + events;
  await makeManyDue(database, total, "http://127.0.0.1:1");
  let settled = 0;
  const children = Array.from({ length: count }, () => {
    const child = new ForkedProcess(new URL("deliver.ts", import.meta.url), JSON.stringify(database.options));
    child.onMessage<number>((group) => {
      settled += group;
    });
    return child;
  });
  const reach = async (number: number): Promise<void> => {
    while (settled < number) await setTimeout(5);
  };
  await reach(warmUp * count);
  const endLoad = await measureLoad(databaseUrl);
  const [from, before] = [performance.now(), settled];
  await reach(total);
  const seconds = (performance.now() - from) / 1_000;
  const { cpuSeconds, waiting } = await endLoad();
  await Promise.all(children.map((child) => child.stop()));
  const delivered = total - before;
  return [delivered / seconds, 100 * (1 - waiting / count), (cpuSeconds * 1e6) / delivered];
}

/** @returns deliveries in a second */
async function deliverWithShare(
  database: TestDatabase,
  count: number,
  baseAddress: string,
  options: SuiteOptions,
): Promise<number[]> {
  const { warmUp, seconds } = sizes(options);
  const [heldWarmUpSeconds, mostPerSecond] = [2, 1_600];
  const events = (warmUp + (heldWarmUpSeconds + seconds) * mostPerSecond) * count;
  await makeManyDue(database, events, baseAddress);
  const platforms = await Promise.all(Array.from({ length: count }, () => runPlatform(database)));
  await allAcknowledged(platforms, warmUp * count);
  const shares = platforms.map(({ pid }) => {
    const held = openCpuShare(share);
    held?.hold(pid);
    return held;
  });
  const acknowledged = () => platforms.reduce((sum, platform) => sum + platform.acknowledged.length, 0);
  await setTimeout(heldWarmUpSeconds * 1_000);
  const [from, before] = [performance.now(), acknowledged()];
  await setTimeout(seconds * 1_000);
  const rate = (acknowledged() - before) / ((performance.now() - from) / 1_000);
  if (acknowledged() >= events) throw new Error("The backlog did not last.");
  await Promise.all(platforms.map((platform) => platform.stop()));
  for (const held of shares) held?.remove();
  return [rate];
}

/** A backlog that is made by the database itself, within seconds. */
async function makeManyDue(database: TestDatabase, events: number, baseAddress: string): Promise<void> {
  await makeBacklog(database, { endpoints, events: 0, workers: 1, baseAddress });
  const store = await openStore(database.options);
  const perInsert = 10_000;
  for (let made = 0; made < events; made += perInsert)
    await store.execute(
      `with given as materialized (
        select gen_random_uuid()::text as id, ids[number % array_length(ids, 1) + 1] as organisation_id, number
        from generate_series($1::int, $2::int) as number, (select array_agg(organisation_id) as ids from endpoints) as them
      ), event as (
        insert into events (id, organisation_id, type, data)
        select id, organisation_id, 'workerOfferResponse',
          json_build_object('offerId', 'offer-' || number, 'workerId', 'worker-1', 'response', 'accepted') from given
      )
      insert into deliveries (id, event_id, organisation_id, order_key, due_at)
      select id, id, organisation_id, id, now() from given order by number`,
      [made + 1, Math.min(made + perInsert, events)],
    );
  await store.execute(
    "insert into outbox_wakeups (queue, at, lane) select 'webhooks', now(), organisation_id from endpoints",
  );
  await store.execute("analyze");
  await store.close();
}
