import { describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { openPageClient, saveCompany } from "../pages/page-client.ts";
import { insertSettledContacts } from "../pages/settled-contacts.ts";
import { eventually } from "../support/eventually.ts";
import { startProcess } from "../support/platform-process.ts";
import { openReceiver, respondWith } from "../support/receiver.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { testSeed } from "../support/test-seed.ts";

describe.each(await storesUnderTest())("redeliveries on $title", ({ createDatabase }) => {
  test("a redelivery that is killed halfway continues after a restart, and redelivers each event once [D-149]", async () => {
    const database = await createDatabase();
    const environment = { OFFERS_SEED: testSeed, OFFERS_ALLOW_LOOPBACK: "1", OFFERS_PERSON_RATE_LIMIT: "off" };
    const startPlatformProcess = () => startProcess(database, environment);
    const receiver = await openReceiver(respondWith(200));
    const setupProcess = startPlatformProcess();
    const client = openPageClient(await setupProcess.waitForAddress());
    await client.signIn("hana@harbour-hotels.example");
    await saveCompany(client, receiver);
    setupProcess.child.kill("SIGTERM");
    await setupProcess.exited;
    const setupStore = await openStore(database.options);
    const from = new Date("2026-03-01T12:00:00Z");
    await insertSettledContacts(setupStore, { workerId: "worker_ben", count: 484, state: "acknowledged", from });
    const ids = await insertSettledContacts(setupStore, {
      workerId: "worker_amal",
      count: 500,
      state: "acknowledged",
      from,
    });
    await setupStore.close();

    const killedProcess = startPlatformProcess();
    const hana = openPageClient(await killedProcess.waitForAddress());
    await hana.signIn("hana@harbour-hotels.example");
    const path = "/deliveries/redeliver?q=amal";
    const last = /name="last" value="(\d+)"/.exec((await hana.get(path)).text)?.[1] ?? "";
    receiver.requests.length = 0;
    expect((await hana.send(path, { which: "all", last })).status).toBe(303);
    await eventually("some events are sent", () => receiver.requests.length >= 20);
    killedProcess.child.kill("SIGKILL");
    await killedProcess.exited;

    const restartedProcess = startPlatformProcess();
    await restartedProcess.waitForAddress();
    const listReceivedIds = () => new Set(receiver.requests.map(({ headers }) => headers["offers-delivery-id"]));
    await eventually("all events are sent", () => listReceivedIds().size >= 500);
    restartedProcess.child.kill("SIGTERM");
    await restartedProcess.exited;
    const store = await openStore(database.options);
    const { db } = store;
    const repeats = await db
      .selectFrom("deliveries")
      .select("redelivery_of")
      .where("redelivery_of", "is not", null)
      .execute();
    expect(repeats.map(({ redelivery_of }) => redelivery_of).toSorted()).toEqual(ids.toSorted());
    expect(listReceivedIds().size).toBe(500);
    const tasks = await db.selectFrom("redeliveries").select(["total", "redelivered", "skipped"]).execute();
    expect(tasks).toEqual([{ total: 500, redelivered: 500, skipped: 0 }]);
    await store.close();
    await receiver.close();
    await database.remove();
  });
});
