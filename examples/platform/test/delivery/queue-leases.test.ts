import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { holdClaims } from "../../src/queue/hold-claims.ts";
import { openQueue } from "../../src/queue/open-queue.ts";
import type { ClaimedJob, Queue } from "../../src/queue/queue.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Store } from "../../src/store/store.ts";
import { eventually } from "../support/eventually.ts";
import { type StorePlace, storesUnderTest } from "../support/stores.ts";

const leaseSeconds = 2;

describe.each(await storesUnderTest())("claims on $title", ({ createPlace }) => {
  let place: StorePlace;
  let store: Store;
  let queue: Queue;
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);

  beforeEach(async () => {
    place = await createPlace();
    store = await openStore({ ...place.options, onError });
    queue = await openQueue(store, { leaseSeconds, onError });
    await store.transaction((trx) => queue.enqueue(trx, "deliveries", [{ key: "a" }]));
  });
  afterEach(async () => {
    await queue.stop();
    await store.close();
    expect(errors.splice(0)).toEqual([]);
    await place.remove();
  });

  const claim = () => queue.claim("deliveries", { limit: 10 });
  const claimOne = async (): Promise<ClaimedJob> => {
    let job: ClaimedJob | undefined;
    await eventually("a job is claimed", async () => {
      [job] = await claim();
      return job !== undefined;
    });
    if (job === undefined) throw new Error("nothing was claimed");
    return job;
  };
  const settle = (job: ClaimedJob) => store.transaction((trx) => queue.settle(trx, "deliveries", [job]));
  const jobs = async () => (await store.execute("select state from pgboss.job")).rows;

  test("lapse when nobody renews them, and cannot settle the job under the next claim", async () => {
    const first = await claimOne();
    const claimed = performance.now();
    const second = await claimOne();
    expect(performance.now() - claimed).toBeGreaterThan(leaseSeconds * 1_000);
    expect(second).toEqual({ ...first, claim: first.claim + 1 });
    await settle(first);
    expect(await jobs()).toEqual([{ state: "active" }]);
    await settle(second);
    expect(await jobs()).toEqual([]);
  });

  test("do not lapse while they are held, however long it takes, and then do", async () => {
    const claims = holdClaims(queue, "deliveries", onError);
    const job = await claimOne();
    claims.add(job);
    await setTimeout(3 * leaseSeconds * 1_000);
    expect(await claim()).toEqual([]);
    claims.delete(job);
    expect((await claimOne()).id).toBe(job.id);
    await claims.stop();
  });

  test("do not lapse because the event loop was busy for two thirds of a lease", async () => {
    const claims = holdClaims(queue, "deliveries", onError);
    claims.add(await claimOne());
    for (let times = 0; times < 3; times += 1) {
      const until = performance.now() + (leaseSeconds * 2_000) / 3;
      while (performance.now() < until);
      await setTimeout(700);
    }
    expect(await claim()).toEqual([]);
    await claims.stop();
  });

  test("that are released are free at once, and the old claim is void", async () => {
    const first = await claimOne();
    await queue.release("deliveries", [first]);
    const [second] = await claim();
    expect(second).toEqual({ ...first, claim: first.claim + 1 });
    await queue.release("deliveries", [first]);
    expect(await claim()).toEqual([]);
  });
});

// PGlite's data folder is for one process: see store.test.ts.
const shared = (await storesUnderTest()).filter(({ title }) => title !== "PGlite");

describe.each(shared)("claims of several processes on $title", ({ createPlace }) => {
  test("keep to the cap of a group, also when they are made at the same time", async () => {
    const place = await createPlace();
    const stores = await Promise.all([1, 2, 3].map(() => openStore(place.options)));
    const queues = await Promise.all(stores.map((store) => openQueue(store)));
    const [store] = stores;
    const [queue] = queues;
    const many = Array.from({ length: 200 }, (_, index) => ({ key: `job-${index}`, group: "one" }));
    await store?.transaction(async (trx) => queue?.enqueue(trx, "deliveries", many));
    const claimed = await Promise.all(queues.map((each) => each.claim("deliveries", { limit: 50, perGroup: 8 })));
    expect(claimed.flat()).toHaveLength(8);
    await Promise.all(queues.map((each) => each.stop()));
    await Promise.all(stores.map((each) => each.close()));
    await place.remove();
  });

  test("are made although one process stands still in the middle of its own", async () => {
    const place = await createPlace();
    const store = await openStore(place.options);
    const stillErrors: unknown[] = [];
    const still = await openStore({
      ...place.options,
      transactionLimitMs: 60_000,
      onError: (error) => stillErrors.push(error),
    });
    let goOn = (): void => undefined;
    const standingStill = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const transaction: Store["transaction"] = (work) =>
      still.transaction(async (trx) => {
        const result = await work(trx);
        await standingStill;
        return result;
      });
    const [queue, stillQueue] = await Promise.all([openQueue(store), openQueue({ ...still, transaction })]);
    await store.transaction(async (trx) => queue.enqueue(trx, "deliveries", [{ key: "job-1", group: "one" }]));
    const options = { limit: 1, perGroup: 8 };
    const neverMade = stillQueue.claim("deliveries", options).catch((error: unknown) => error);
    await setTimeout(200);
    const began = performance.now();
    expect(await queue.claim("deliveries", options)).toMatchObject([{ key: "job-1" }]);
    expect(performance.now() - began).toBeLessThan(10_000);
    goOn();
    expect(await neverMade).toBeInstanceOf(Error);
    expect(stillErrors).not.toEqual([]);
    await Promise.all([queue.stop(), stillQueue.stop()]);
    await Promise.all([store.close(), still.close()]);
    await place.remove();
  });
});
