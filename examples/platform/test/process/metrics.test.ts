import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createMetrics, readBacklog } from "../../src/observability/metrics.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { DeliveryState } from "../../src/store/tables.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { emptyTables } from "../support/empty-tables.ts";
import { eventually } from "../support/eventually.ts";
import { openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { openReceiver, respondWith } from "../support/receiver.ts";
import { anyStore, type TestDatabase } from "../support/stores/stores.ts";
import { useStore } from "../support/use-opened.ts";

const noon = new Date("2030-06-01T12:00:00Z");
const secondsAgo = (seconds: number): Date => new Date(noon.getTime() - seconds * 1_000);

describe.each(await anyStore())("the backlog on $title", ({ title, createDatabase }) => {
  const store = useStore({ createDatabase });
  beforeEach(() => emptyTables(store));

  const addEndpoint = () => addOrganisation(store, "https://hooks.example");
  async function addDelivery(
    organisationId: string,
    state: DeliveryState,
    dueSecondsAgo = 0,
    orderKey: string = randomUUID(),
  ) {
    const id = randomUUID();
    const event = { id, organisation_id: organisationId, type: "workerAddedContact" as const, data: "{}" };
    await store.db.insertInto("events").values(event).execute();
    const delivery = { id, event_id: id, organisation_id: organisationId, order_key: orderKey, state };
    // Only the first pending delivery of each order key has a due time.
    const isFirst = state === "pending" && !(await hasPending(organisationId, orderKey));
    await store.db
      .insertInto("deliveries")
      .values({ ...delivery, due_at: isFirst ? secondsAgo(dueSecondsAgo) : null })
      .execute();
  }
  const hasPending = async (organisationId: string, orderKey: string): Promise<boolean> => {
    const pending = store.db.selectFrom("deliveries").select("id").where("state", "=", "pending");
    const pendingWithKey = pending.where("organisation_id", "=", organisationId).where("order_key", "=", orderKey);
    return (await pendingWithKey.executeTakeFirst()) !== undefined;
  };
  const updateEndpoint = (organisationId: string, changes: object) =>
    store.db.updateTable("endpoints").set(changes).where("organisation_id", "=", organisationId).execute();

  test("an empty platform's backlog is zero", async () =>
    expect(await readBacklog(store, noon)).toEqual({
      deliveries: { pending: 0, held: 0, dead: 0 },
      lagSeconds: 0,
      openBreakers: 0,
      disabledEndpoints: 0,
      unsentNotifications: 0,
      unsentMails: 0,
      oldestSnapshotSeconds: 0,
    }));

  test.runIf(title !== "PGlite")(
    "the backlog includes the age of the oldest snapshot of an open transaction",
    async () => {
      const openClient = await store.newClient?.();
      if (openClient === undefined) throw new Error("This test requires PostgreSQL.");
      await openClient.connect();
      await openClient.query("begin isolation level repeatable read");
      await openClient.query("select");
      const readAge = async () => (await readBacklog(store, noon)).oldestSnapshotSeconds;
      await eventually("the snapshot is two seconds old", async () => (await readAge()) >= 2);
      await openClient.query("commit");
      await openClient.end();
      expect(await readAge()).toBeLessThan(2);
    },
  );

  test("the backlog counts deliveries by state, except acknowledged deliveries", async () => {
    const [organisationId, disabledId] = [await addEndpoint(), await addEndpoint()];
    await updateEndpoint(disabledId, { disabled_at: secondsAgo(60), disabled_because: "gone" });
    for (const state of ["pending", "pending", "dead", "dead", "acknowledged"] as const)
      await addDelivery(organisationId, state);
    for (const state of ["pending", "dead", "acknowledged"] as const) await addDelivery(disabledId, state);
    expect((await readBacklog(store, noon)).deliveries).toEqual({ pending: 2, held: 1, dead: 3 });
  });

  test("the lag is the age of the oldest due delivery", async () => {
    const organisationId = await addEndpoint();
    await addDelivery(organisationId, "pending", -60);
    expect((await readBacklog(store, noon)).lagSeconds).toBe(0);
    await addDelivery(organisationId, "pending", 5);
    await addDelivery(organisationId, "pending", 90);
    await addDelivery(organisationId, "dead", 1_000);
    expect((await readBacklog(store, noon)).lagSeconds).toBe(90);
  });

  test("deliveries that wait for their endpoint or for an earlier delivery do not count towards the lag", async () => {
    const [pausedId, disabledId, orderedId] = [await addEndpoint(), await addEndpoint(), await addEndpoint()];
    await updateEndpoint(pausedId, { breaker_open_until: secondsAgo(-60) });
    await updateEndpoint(disabledId, { disabled_at: secondsAgo(60), disabled_because: "gone" });
    await addDelivery(pausedId, "pending", 1_000);
    await addDelivery(disabledId, "pending", 1_000);
    await addDelivery(orderedId, "pending", -60, "one");
    await addDelivery(orderedId, "pending", 1_000, "one");
    expect(await readBacklog(store, noon)).toMatchObject({ lagSeconds: 0, openBreakers: 1, disabledEndpoints: 1 });
    await updateEndpoint(pausedId, { breaker_open_until: secondsAgo(1) });
    expect(await readBacklog(store, noon)).toMatchObject({ lagSeconds: 1_000, openBreakers: 0 });
  });

  test("the backlog counts notifications and mails until they are sent or have failed", async () => {
    const organisationId = await addOrganisation(store);
    const [offerId, workerId, deviceId] = [randomUUID(), randomUUID(), randomUUID()];
    await store.execute(
      `insert into offers (id, organisation_id, created_by_user_id, title, details, location_place_id, events)
       values ($1, $2, 'user-1', 'Bar', '', '', '[]')`,
      [offerId, organisationId],
    );
    await store.db.insertInto("workers").values({ id: workerId, name: "Ann", password_hash: "" }).execute();
    await store.db.insertInto("devices").values({ id: deviceId, worker_id: workerId, platform: "ios" }).execute();
    const notification = { worker_id: workerId, device_id: deviceId, offer_id: offerId, reason: "offer" as const };
    const mail = { to_address: "amal@example.com", subject: "", body: "" };
    for (const progress of [{ due_at: noon }, { attempts: 1, due_at: noon }, { attempts: 10 }, { sent_at: noon }]) {
      await store.db
        .insertInto("notifications")
        .values({ ...notification, ...progress })
        .execute();
      await store.db
        .insertInto("mails")
        .values({ ...mail, ...progress })
        .execute();
    }
    expect(await readBacklog(store, noon)).toMatchObject({ unsentNotifications: 2, unsentMails: 2 });
  });

  test("many simultaneous scrapes read the store once", async () => {
    const metrics = createMetrics(store, () => noon);
    const organisationId = await addEndpoint();
    const scrapes = await Promise.all(Array.from({ length: 20 }, () => metrics.read()));
    await addDelivery(organisationId, "dead");
    expect(new Set(scrapes.map(({ text }) => /^offers_deliveries\{state="dead"\} (\d+)/m.exec(text)?.[1]))).toEqual(
      new Set(["0"]),
    );
    await eventually("a later scrape reads the store again", async () =>
      (await metrics.read()).text.includes('offers_deliveries{state="dead"} 1'),
    );
    metrics.stop();
  });

  test("the metrics report an unavailable store, without outdated values", async () => {
    const closedStore = await openStore((await createDatabase()).options);
    const metrics = createMetrics(closedStore, () => noon);
    expect((await metrics.read()).text).toContain("offers_store_up 1");
    await closedStore.close();
    await eventually("the unavailable store is reported", async () =>
      (await metrics.read()).text.includes("offers_store_up 0"),
    );
    const { text } = await metrics.read();
    expect(text).not.toMatch(/^offers_(deliveries|delivery_lag|breakers|endpoints|notifications|mails)[^\n]* \d/m);
    expect(text).toMatch(/^offers_event_loop_lag_seconds\{quantile="0.99"\} [\d.e-]+$/m);
    metrics.stop();
  });
});

describe("the platform's metrics", () => {
  let database: TestDatabase;
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    const [store] = await anyStore();
    database = await store.createDatabase();
    platform = await openPlatform(database, { metrics: { host: "127.0.0.1", port: 0 } });
  });
  afterAll(async () => {
    await platform.close();
    await database.remove();
  });
  const readMetrics = async (): Promise<string> => (await fetch(`${platform.metricsAddress}/metrics`)).text();

  test("the metrics are served on a separate port, which serves nothing else", async () => {
    expect((await platform.call("GET", "/metrics")).status).toBe(404);
    expect((await fetch(`${platform.metricsAddress}/offer/1`)).status).toBe(404);
    expect((await fetch(`${platform.metricsAddress}/metrics`, { method: "POST" })).status).toBe(404);
    const { headers } = await fetch(`${platform.metricsAddress}/metrics?name[]=up`);
    expect(headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  });

  test("the metrics count requests by route and status, and attempts by outcome and failure, without personal data in labels", async () => {
    let status = 503;
    const receiver = await openReceiver((request, response) =>
      respondWith(request.url.includes("/test") ? 200 : status)(request, response),
    );
    const token = await platform.signInPerson("hana@harbour-hotels.example");
    const secret = "9a4f3c52-7c1e-4b57-9e0c-2f4f6f0f6a11";
    const profile = { baseAddress: receiver.baseAddress, secret, suggestsContacts: false };
    expect((await platform.call("PUT", "/portal/profile", { token, json: profile })).status).toBe(200);
    const workerToken = await platform.signInWorker("worker_amal");
    const json = { organisationId: "org_harbour" };
    await platform.call("POST", "/worker-app/contacts", { token: workerToken, json });
    await platform.call("GET", "/offer/offer-that-is-not-there?api-version=1.0", { key: "demo-key-harbour" });
    await eventually("the first attempt arrives", () =>
      receiver.requests.some(({ url }) => url.startsWith("/contact")),
    );
    status = 200;
    await eventually("the delivery is acknowledged", async () =>
      (await readMetrics()).includes('offers_delivery_attempts_total{outcome="acknowledged",failure="none"} 1'),
    );
    const text = await readMetrics();
    expect(text).toMatch(/^offers_delivery_attempts_total\{outcome="retry",failure="not_acknowledged"\} [1-9]/m);
    expect(text).toMatch(/^offers_delivery_attempt_duration_seconds_count\{outcome="acknowledged"\} 1$/m);
    expect(text).toMatch(
      /^offers_http_request_duration_seconds_count\{method="GET",route="\/offer\/:id",status="404"\} 1$/m,
    );
    for (const name of [
      "offers_store_up 1",
      "offers_delivery_lag_seconds",
      'offers_deliveries{state="pending"}',
      "offers_breakers_open 0",
      "offers_endpoints_disabled 0",
      "offers_notifications_unsent 0",
      "offers_mails_unsent 0",
      "offers_oldest_snapshot_seconds 0",
      "offers_event_streams_open 0",
    ])
      expect(text).toContain(name);
    expect(text).not.toMatch(/harbour|worker_amal|hana|127\.0\.0\.1|offer-that|secret/i);
    await receiver.close();
  });
});

test("no metrics are served by default", async () => {
  const [store] = await anyStore();
  const database = await store.createDatabase();
  const platform = await openPlatform(database);
  expect(platform.metricsAddress).toBeUndefined();
  await platform.close();
  await database.remove();
});
