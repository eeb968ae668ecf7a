import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll } from "vitest";
import { type NotificationFeed, openNotificationFeed } from "../../src/push/notification-feed.ts";
import { notifyWorkers } from "../../src/push/notify-workers.ts";
import { menuOnlyTransport, type PushTransport } from "../../src/push/push-transport.ts";
import { type PushOptions, startPush } from "../../src/push/start-push.ts";
import { openSignals, type Signals } from "../../src/store/signals.ts";
import { addOrganisation, type DeliveryFixture } from "../support/delivery-fixture.ts";
import type { StoreUnderTest } from "../support/stores/stores.ts";
import { useDeliveryFixture } from "../support/use-opened.ts";

/** A process that pushes. Each test starts with empty tables. */
export interface PushUnderTest {
  readonly fixture: DeliveryFixture;
  /** Starts to push notifications. @default the transport that sends nothing */
  startSending(transport?: PushTransport, options?: Partial<PushOptions>): void;
  openFeed(): NotificationFeed;
  /** Signals that these workers have new notifications. */
  publish(workerIds: string[]): void;
  /** Adds an offer of a new organisation. @returns the offer id */
  addOffer(): Promise<string>;
  /** Adds workers who each have a device for each of the platforms. @returns the worker ids */
  addWorkers(count: number, devicePlatforms?: readonly ("ios" | "android")[]): Promise<string[]>;
  /** Notifies workers of an offer. @returns the number of notifications */
  notify(offerId: string, workerIds: readonly string[]): Promise<number>;
  /** Counts the offer's notifications that are still to be sent. */
  countUnsent(offerId: string): Promise<number>;
}

/** Opens a store for the tests in a describe block. */
export function usePush(createDatabase: StoreUnderTest["createDatabase"]): PushUnderTest {
  const fixture = useDeliveryFixture(createDatabase);
  let signals: Signals;

  beforeAll(async () => {
    signals = openSignals(fixture.store, { onError: (error) => fixture.errors.push(error) });
  });
  afterAll(async () => {
    await signals.stop();
  });
  afterEach(() => fixture.reset());

  const startSending = (transport: PushTransport = menuOnlyTransport, options: Partial<PushOptions> = {}): void => {
    const { store, leases, errors } = fixture;
    const onError = (error: unknown): void => void errors.push(error);
    fixture.adopt(startPush({ store, leases, transport, onError, firstRetryMs: 20, ...options }));
  };
  const openFeed = () =>
    openNotificationFeed(fixture.store, { signals, onError: (error) => fixture.errors.push(error) });
  const publish = (workerIds: string[]): void => signals.publish({ topic: "notification", workerIds });

  async function addOffer(): Promise<string> {
    const id = randomUUID();
    await fixture.store.db
      .insertInto("offers")
      .values({
        id,
        organisation_id: await addOrganisation(fixture.store),
        created_by_user_id: "user-1",
        title: "Night shift",
        details: "",
        location_place_id: "",
        notify_email_address: null,
        events: "[]",
        ends_at: null,
      })
      .execute();
    return id;
  }

  async function addWorkers(
    count: number,
    devicePlatforms: readonly ("ios" | "android")[] = ["ios"],
  ): Promise<string[]> {
    const ids = Array.from({ length: count }, () => randomUUID());
    for (let start = 0; start < count; start += 1_000) {
      const batch = ids.slice(start, start + 1_000);
      const workers = batch.map((id) => ({ id, name: "Ann", password_hash: "" }));
      await fixture.store.db.insertInto("workers").values(workers).execute();
      const devices = batch.flatMap((workerId) =>
        devicePlatforms.map((platform) => ({ id: randomUUID(), worker_id: workerId, platform })),
      );
      if (devices.length > 0) await fixture.store.db.insertInto("devices").values(devices).execute();
    }
    return ids;
  }

  const notify = (offerId: string, workerIds: readonly string[]) =>
    fixture.store.transaction((trx) => notifyWorkers(trx, { offerId, workerIds, reason: "offer" }));
  const countUnsent = async (offerId: string): Promise<number> => {
    const query = fixture.store.db.selectFrom("notifications").select(({ fn }) => fn.countAll<number>().as("count"));
    const { count } = await query
      .where("offer_id", "=", offerId)
      .where("due_at", "is not", null)
      .executeTakeFirstOrThrow();
    return count;
  };
  return {
    get fixture() {
      return fixture;
    },
    startSending,
    openFeed,
    publish,
    addOffer,
    addWorkers,
    notify,
    countUnsent,
  };
}
