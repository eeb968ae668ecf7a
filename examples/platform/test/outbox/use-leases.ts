import type pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished } from "vitest";
import { claimRows } from "../../src/outbox/claim.ts";
import { type DispatcherOptions, startDispatcher } from "../../src/outbox/dispatcher.ts";
import { endLeases, Leases } from "../../src/outbox/leases.ts";
import { alwaysOpen, type Lease, type OutboxQueue } from "../../src/outbox/queue.ts";
import type { Loop } from "../../src/outbox/timers.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Store, Trx } from "../../src/store/store.ts";
import { createWebhookQueue } from "../../src/webhooks/start-delivery.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { emptyTables } from "../support/empty-tables.ts";
import { eventually } from "../support/eventually.ts";
import type { StoreUnderTest, TestDatabase } from "../support/stores/stores.ts";

export const leaseMs = 2_000;
export const queue = createWebhookQueue(() => new Date());
/** A queue whose lanes are always open and have the capacity for a whole claim. */
export const wideQueue: OutboxQueue = {
  name: "webhooks",
  wokenBy: [],
  table: "deliveries",
  id: "sequence",
  lane: "organisation_id",
  laneState: alwaysOpen(100),
};

export const acknowledge = (trx: Trx, rowIds: readonly number[]) =>
  trx
    .updateTable("deliveries")
    .set({ state: "acknowledged", due_at: null })
    .where("sequence", "in", rowIds)
    .where("state", "=", "pending")
    .execute();

export const countPending = async (store: Store): Promise<number> =>
  (await store.db.selectFrom("deliveries").select("id").where("state", "=", "pending").execute()).length;

export const countLeases = async (store: Store): Promise<number> =>
  (await store.execute("select from outbox_leases")).rows.length;

/** Starts a dispatcher that records its errors and the rows that it attempts and settles. `options` can replace its callbacks. */
export function startRecordingDispatcher(
  store: Store,
  leases: Leases,
  options: Partial<DispatcherOptions<number, string>> = {},
) {
  const attempted: number[] = [];
  const settled: number[] = [];
  const errors: unknown[] = [];
  const loop = startDispatcher<number, string>({
    store,
    leases,
    queue,
    maxInFlight: 100,
    onError: (error) => void errors.push(error),
    load: async (claimed) => new Map(claimed.map(({ rowId }) => [rowId, rowId])),
    async attempt(rowId) {
      attempted.push(rowId);
      return "done";
    },
    async settle(trx, attempts) {
      const rowIds = attempts.map(({ row }) => row);
      await acknowledge(trx, rowIds);
      return () => void settled.push(...rowIds);
    },
    ...options,
  });
  return { loop, attempted, settled, errors };
}

/** A store with one organisation. Leases and dispatchers are stopped after each test. */
export interface LeasesUnderTest {
  readonly store: Store;
  readonly organisationId: string;
  /** Opens leases for a new process. */
  openProcessLeases(durationMs?: number): Leases;
  claim(leases: Leases, limit?: number): Promise<readonly Lease[] | undefined>;
  claimOne(leases: Leases): Promise<Lease>;
  /** Waits until the lease of a different process has expired, and claims the leased row. */
  claimExpired(leases: Leases): Promise<Lease>;
  /** Ends leases. @returns the tokens of the leases that were still valid */
  end(...leases: Lease[]): Promise<ReadonlySet<number>>;
  /** Ends leases, and acknowledges the rows whose leases were still valid. */
  settle(leases?: readonly Lease[]): Promise<void>;
  /** Opens a separate connection. Works only on PostgreSQL. */
  connect(): Promise<pg.Client>;
  startDispatcher: typeof startRecordingDispatcher;
}

/** Opens a store for the tests in a describe block. It contains one organisation and no data from earlier tests. */
export function useLeases(createDatabase: StoreUnderTest["createDatabase"]): LeasesUnderTest {
  let database: TestDatabase;
  let store: Store;
  let organisationId: string;
  const leasesToStop: Leases[] = [];
  const loops: Loop[] = [];
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);

  beforeAll(async () => {
    database = await createDatabase();
    store = await openStore({ ...database.options, onError });
  });
  // Reset before each test, because a test's connections, which may hold locks, close after its `afterEach` hooks.
  beforeEach(async () => {
    await emptyTables(store);
    await store.execute("delete from outbox_processes");
    organisationId = await addOrganisation(store, "http://127.0.0.1:1");
  });
  afterEach(async () => {
    await Promise.all(loops.splice(0).map((loop) => loop.stop()));
    await Promise.all(leasesToStop.splice(0).map((leases) => leases.stop()));
    expect(errors.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await store.close();
    await database.remove();
  });

  const openProcessLeases = (durationMs = leaseMs): Leases => {
    const leases = new Leases(store, durationMs, onError);
    leasesToStop.push(leases);
    return leases;
  };
  const claim = (leases: Leases, limit = 10) => claimRows(store, leases, queue, limit);
  const claimOne = async (leases: Leases): Promise<Lease> => {
    const [lease] = (await claim(leases)) ?? [];
    if (lease === undefined) throw new Error("nothing was claimed");
    return lease;
  };
  const claimExpired = async (leases: Leases): Promise<Lease> => {
    let lease: Lease | undefined;
    await eventually("the row is claimed", async () => {
      await leases.releaseExpired();
      [lease] = (await claim(leases)) ?? [];
      return lease !== undefined;
    });
    if (lease === undefined) throw new Error("nothing was claimed");
    return lease;
  };
  const end = async (...leases: Lease[]) => {
    const attempted = leases.map((lease) => ({ lease }));
    const validAttempts = await store.transaction((trx) => endLeases(trx, "webhooks", attempted));
    return new Set(validAttempts.map(({ lease }) => lease.token));
  };
  const settle = async (leases: readonly Lease[] = []): Promise<void> => {
    const validTokens = await end(...leases);
    const rowIds = leases.filter(({ token }) => validTokens.has(token)).map(({ rowId }) => rowId);
    if (rowIds.length > 0) await store.transaction((trx) => acknowledge(trx, rowIds));
  };
  const connect = async (): Promise<pg.Client> => {
    const client = await store.newClient?.();
    if (client === undefined) throw new Error("the store is not PostgreSQL");
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  };
  const startDispatcherForTest: typeof startRecordingDispatcher = (...parameters) => {
    const dispatcher = startRecordingDispatcher(...parameters);
    loops.push(dispatcher.loop);
    return dispatcher;
  };
  return {
    get store() {
      return store;
    },
    get organisationId() {
      return organisationId;
    },
    openProcessLeases,
    claim,
    claimOne,
    claimExpired,
    end,
    settle,
    connect,
    startDispatcher: startDispatcherForTest,
  };
}
