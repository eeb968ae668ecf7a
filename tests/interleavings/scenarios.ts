import { applyAction } from "../../examples/platform/src/offers/apply-action.ts";
import { createOffer } from "../../examples/platform/src/offers/create-offer.ts";
import type { Action } from "../../examples/platform/src/offers/transition.ts";
import type { Leased } from "../../examples/platform/src/outbox/dispatcher.ts";
import { readNotifications } from "../../examples/platform/src/push/notification-feed.ts";
import type { Store } from "../../examples/platform/src/store/store.ts";
import type { PendingDelivery } from "../../examples/platform/src/webhooks/attempt-delivery.ts";
import { readFeed } from "../../examples/platform/src/webhooks/event-feed.ts";
import {
  redeliver,
  redeliverAllInRange,
  restartSchedules,
  retryNow,
} from "../../examples/platform/src/webhooks/redeliver.ts";
import { Deliveries, organisationId, recordResponse, recordResponseIn, results } from "./deliveries.ts";
import type { Fixture } from "./fixture.ts";

/** Prepares rows, runs actors, and checks the contract. Draws all its random choices before the actors start. */
type Scenario = (fixture: Fixture) => Promise<void>;

/** Several processes claim from one lane while events are being recorded. */
const claims: Scenario = async (fixture) => {
  const { interleaving } = fixture;
  const deliveries = new Deliveries(fixture);
  const recorder = fixture.takeStore();
  const count = interleaving.between(2, 12);
  for (let index = 0; index < count; index += 1) await recordResponse(recorder, `worker-${index}`);
  if (interleaving.chance(0.4)) {
    // Half-open: the circuit breaker allows one attempt, whose success closes it.
    deliveries.capacity = 1;
    await fixture.query("update endpoints set breaker_open_until = now() - interval '1 s', breaker_open_count = 1");
  }
  for (const name of ["one", "two", "three"].slice(0, interleaving.between(2, 3))) {
    const process = await deliveries.openProcess();
    const limit = interleaving.pick([1, 3, 100]);
    interleaving.addActor(`process ${name}`, async () => {
      await process.attempt(limit, "acknowledged");
      await process.attempt(limit, "acknowledged");
    });
  }
  interleaving.addActor("recorder", () => recordResponse(recorder, "worker-late"));
  await interleaving.runToEnd();
  await deliveries.deliverAndCheckAll();
};

/** Events are inserted, and committed in any order, between claims. Then the processes are killed. */
const lateInsert: Scenario = async (fixture) => {
  const { interleaving } = fixture;
  const deliveries = new Deliveries(fixture);
  for (const key of ["worker-1", "worker-2", "worker-3"]) {
    const recorder = fixture.takeStore();
    interleaving.addActor(`recorder of ${key}`, () => recordResponse(recorder, key));
  }
  for (const name of ["one", "two"]) {
    const process = await deliveries.openProcess();
    const limit = interleaving.pick([1, 100]);
    interleaving.addActor(`process ${name}`, async () => {
      await process.attempt(limit, "acknowledged");
      for (let claim = 1; claim <= 3; claim += 1)
        for (const { row } of (await process.claim(limit)) ?? []) deliveries.endAttempt(row);
    });
  }
  await interleaving.runToEnd();
  await deliveries.deliverAndCheckAll();
};

/**
 * A lane has more rows than its capacity. Processes claim from it, even between the snapshot and the lock of another process's claim, and
 * keep what they claim.
 */
const claimBetweenSnapshotAndLock: Scenario = async (fixture) => {
  const { interleaving } = fixture;
  const deliveries = new Deliveries(fixture);
  const recorder = fixture.takeStore();
  for (let index = 0; index < 12; index += 1) await recordResponse(recorder, `worker-${index}`);
  const leasedDeliveries: Leased<PendingDelivery>[] = [];
  for (const name of ["one", "two", "three"]) {
    const process = await deliveries.openProcess();
    const limit = interleaving.pick([5, 100]);
    interleaving.addActor(`process ${name}`, async () => {
      for (let claim = 1; claim <= 2; claim += 1) leasedDeliveries.push(...((await process.claim(limit)) ?? []));
    });
  }
  await interleaving.runToEnd();
  for (const { row } of leasedDeliveries) deliveries.endAttempt(row);
  await deliveries.deliverAndCheckAll();
};

/** Processes settle attempts, and users record events, for two endpoints in opposite orders, which could deadlock. */
const lanesInOppositeOrder: Scenario = async (fixture) => {
  const { interleaving } = fixture;
  const deliveries = new Deliveries(fixture);
  await fixture.query(`
    insert into organisations (id, name, kind) values ('organisation-2', 'organisation-2', 'hirer');
    insert into endpoints (organisation_id, base_address, encrypted_secret, suggests_contacts, updated_at)
    values ('organisation-2', 'http://receiver', 'unused', false, now());`);
  const lanes = [organisationId, "organisation-2"];
  const orders = [lanes, lanes.toReversed()];
  const recorder = fixture.takeStore();
  for (const order of orders)
    for (const lane of order)
      await recorder.transaction((trx) => recordResponseIn(trx, lane, `worker-${orders.indexOf(order)}`));
  for (const [index, order] of orders.entries()) {
    const process = await deliveries.openProcess();
    const result = interleaving.pick(["acknowledged", "retry"] as const);
    const claimed = (await process.claim(2)) ?? [];
    const claimedInOrder = claimed.toSorted(
      (a, b) => order.indexOf(a.row.organisation_id) - order.indexOf(b.row.organisation_id),
    );
    interleaving.addActor(`process ${index}`, async () => {
      await process.settle(claimedInOrder, result);
      await process.attempt(100, "acknowledged");
    });
    const store = fixture.takeStore();
    interleaving.addActor(`person ${index}`, () =>
      store.transaction(async (trx) => {
        for (const lane of order) await recordResponseIn(trx, lane, `worker-${order.indexOf(lane)}`);
      }),
    );
  }
  await interleaving.runToEnd();
  await deliveries.deliverAndCheckAll(lanes);
};

/** Attempts are settled while events with the same order keys are recorded, retried and redelivered. */
const settlements: Scenario = async (fixture) => {
  const { interleaving } = fixture;
  const deliveries = new Deliveries(fixture);
  const keys = ["worker-1", "worker-2"].slice(0, interleaving.pick([1, 1, 2]));
  const earlierProcess = await deliveries.openProcess();
  const eventIds: string[] = [];
  for (const key of keys)
    for (let index = interleaving.between(1, 2); index > 0; index -= 1) {
      eventIds.push(await recordResponse(earlierProcess.store, key));
      if (interleaving.chance(0.6)) await earlierProcess.attempt(100, interleaving.pick(results));
    }
  for (const name of ["one", "two"].slice(0, interleaving.between(1, 2))) {
    const process = await deliveries.openProcess();
    const limit = interleaving.pick([1, 100]);
    const [first, second] = [interleaving.pick(results), interleaving.pick(results)];
    // In most runs, the process has already claimed deliveries.
    const claimed = interleaving.chance(0.7) ? ((await process.claim(limit)) ?? []) : [];
    interleaving.addActor(`process ${name}`, async () => {
      await process.settle(claimed, first);
      await process.attempt(limit, second);
    });
  }
  const recorder = fixture.takeStore();
  const key = interleaving.pick(keys);
  if (interleaving.chance(0.5)) interleaving.addActor("recorder", () => recordResponse(recorder, key));
  for (const name of ["person one", "person two"].slice(0, interleaving.between(1, 2))) {
    const store = fixture.takeStore();
    const eventId = interleaving.pick(eventIds.slice(-2));
    const retry = () => retryNow(store, organisationId, eventId, new Date());
    // An action that is listed twice is twice as likely.
    const action = interleaving.pick([
      retry,
      retry,
      () => restartSchedules(store, organisationId),
      () => redeliver(store, organisationId, eventId),
      () => redeliver(store, organisationId, eventId),
      () => redeliverAllInRange(store, organisationId, { since: new Date(0), states: ["dead", "acknowledged"] }),
    ]);
    interleaving.addActor(name, action);
  }
  await interleaving.runToEnd();
  await deliveries.deliverAndCheckAll();
};

/** Attempts from several processes fail concurrently. Each failure must count towards the endpoint's circuit breaker. */
const failures: Scenario = async (fixture) => {
  const { interleaving } = fixture;
  const deliveries = new Deliveries(fixture);
  const count = interleaving.between(2, 3);
  for (let index = 0; index < count; index += 1) {
    const process = await deliveries.openProcess();
    await recordResponse(process.store, `worker-${index}`);
    const claimed = (await process.claim(1)) ?? [];
    interleaving.addActor(`process ${index}`, () => process.settle(claimed, "retry"));
  }
  await interleaving.runToEnd();
  await fixture.expectNoRows(
    "health: a failed attempt did not count",
    `select from endpoints where consecutive_failures <> ${count}`,
  );
  await deliveries.deliverAndCheckAll();
};

/** A process whose leases have expired claims again and settles, while another process releases its rows. */
const expiredLeases: Scenario = async (fixture) => {
  const { interleaving } = fixture;
  const deliveries = new Deliveries(fixture);
  const stalledProcess = await deliveries.openProcess();
  const count = interleaving.between(2, 4);
  for (let index = 0; index < count; index += 1) await recordResponse(stalledProcess.store, `worker-${index}`);
  const claimed = (await stalledProcess.claim(interleaving.between(1, count - 1))) ?? [];
  // After a lease expires, an event may be sent twice, so these attempts do not count.
  for (const { row } of claimed) deliveries.endAttempt(row);
  await fixture.query("update outbox_processes set lease_until = now() - interval '1 s'");
  if (interleaving.chance(0.5))
    interleaving.addActor("stalled process, which settles", () => stalledProcess.settle(claimed, "acknowledged"));
  interleaving.addActor("stalled process, which claims", async () => {
    for (const { row } of (await stalledProcess.claim(100)) ?? []) deliveries.endAttempt(row);
  });
  const otherProcess = await deliveries.openProcess();
  interleaving.addActor("other process", async () => {
    await otherProcess.leases.nextPoll("webhooks");
    await otherProcess.leases.releaseExpired();
    await otherProcess.attempt(100, "acknowledged");
  });
  await interleaving.runToEnd();
  await deliveries.deliverAndCheckAll();
};

/** Readers page through an organisation's feed by cursor, while events are committed in any order. */
const feeds: Scenario = async (fixture) => {
  const { interleaving } = fixture;
  const writers = ["writer one", "writer two", "writer three"].map((name) => ({ name, store: fixture.takeStore() }));
  const readers: FeedReader[] = [];
  for (const name of ["reader one", "reader two", "reader three"]) {
    const reader = new FeedReader(fixture.takeStore(), interleaving.between(1, 3));
    readers.push(reader);
    interleaving.addActor(name, async () => {
      for (let page = 0; page < 4; page += 1) await reader.readPage();
    });
  }
  for (const { name, store } of writers) {
    const key = interleaving.pick(["worker-1", "worker-2"]);
    if (interleaving.chance(0.5)) {
      await recordResponse(store, key);
      await readers[0]?.readPage();
    }
    interleaving.addActor(name, async () => {
      await recordResponse(store, key);
      await recordResponse(store, key);
    });
  }
  await interleaving.runToEnd();
  const recordedEvents = await fixture.query<{ id: string }>("select id from events order by feed_order");
  for (const reader of readers) {
    // Read the remaining pages.
    while (await reader.readPage());
    if (new Set(reader.ids).size < reader.ids.length)
      interleaving.violations.push("twice: a reader saw an event twice");
    if (recordedEvents.some(({ id }) => !reader.ids.includes(id)))
      interleaving.violations.push("missed: a reader skipped an event that was committed late");
  }
  if (new Set(readers.map(({ ids }) => ids.join())).size > 1)
    interleaving.violations.push("order: two readers saw events in different orders");
};

class FeedReader {
  readonly ids: string[] = [];
  readonly #store: Store;
  readonly #limit: number;
  #cursor: string | undefined;

  constructor(store: Store, limit: number) {
    this.#store = store;
    this.#limit = limit;
  }

  /** Reads the next page. @returns whether it contained an event */
  async readPage(): Promise<boolean> {
    const { events, cursor } = await readFeed(this.#store, organisationId, { after: this.#cursor, limit: this.#limit });
    this.ids.push(...events.map(({ id }) => id));
    this.#cursor = cursor;
    return events.length > 0;
  }
}

/** Workers respond to an offer and read their notifications while the offer is completed or withdrawn. */
const offers: Scenario = async (fixture) => {
  const { interleaving } = fixture;
  const deps = { now: () => new Date(), linkTo: (path: string) => path };
  const creator = fixture.takeStore();
  const workerIds = ["worker-1", "worker-2", "worker-3"];
  const id = await creator.transaction((trx) =>
    createOffer(trx, deps, organisationId, { title: "Offer", workerIds, createdByUserId: "person-1" }),
  );
  const act = (store: Store, actor: Parameters<typeof applyAction>[2], action: Action) =>
    store.transaction((trx) => applyAction(trx, deps, actor, id, action));
  for (const workerId of workerIds.slice(0, 2)) await act(creator, { workerId }, { type: "apply", workerId });
  let completions = 0;
  for (const workerId of workerIds.slice(0, 2)) {
    const store = fixture.takeStore();
    const action: Action = interleaving.chance(0.8)
      ? { type: "complete", workerIds: [workerId] }
      : { type: "withdraw" };
    interleaving.addActor(`person who selects ${workerId}`, async () => {
      const outcome = await act(store, { organisationId }, action);
      if (outcome === "done" && action.type === "complete") completions += 1;
    });
  }
  const workersStore = fixture.takeStore();
  const workerId = interleaving.pick(workerIds);
  const type = interleaving.pick(["apply", "reject"] as const);
  interleaving.addActor("worker", () => act(workersStore, { workerId }, { type, workerId }));
  for (const name of ["menu one", "menu two"]) {
    const store = fixture.takeStore();
    interleaving.addActor(name, async () => {
      const earlier = (await readNotifications(store, workerId)).map(({ id }) => id);
      const later = (await readNotifications(store, workerId)).map(({ id }) => id);
      if (later.slice(0, earlier.length).join() !== earlier.join())
        interleaving.violations.push("order: a notification appeared before one that had already been read");
    });
  }
  await interleaving.runToEnd();
  if (completions > 1) interleaving.violations.push("twice: an offer was completed twice");
  await fixture.expectNoRows(
    "completed: a worker was confirmed whose response is not applied",
    "select from recipients where confirmation = 'confirmed' and response <> 'applied'",
  );
};

export const scenarios = {
  claims,
  lateInsert,
  claimBetweenSnapshotAndLock,
  lanesInOppositeOrder,
  settlements,
  failures,
  leases: expiredLeases,
  feeds,
  offers,
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;

/** Seeds go through this list in turn. Scenarios with more potential faults occur more often. */
export const scenarioOrder: readonly ScenarioName[] = [
  "claims",
  "settlements",
  "leases",
  "feeds",
  "settlements",
  "failures",
  "lateInsert",
  "claimBetweenSnapshotAndLock",
  "lanesInOppositeOrder",
  "leases",
  "settlements",
  "feeds",
  "offers",
];
