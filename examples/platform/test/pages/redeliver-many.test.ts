import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { eventually } from "../support/eventually.ts";
import { openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { respondWith } from "../support/receiver.ts";
import { anyStore, type TestDatabase } from "../support/stores/stores.ts";
import { useReceiver } from "../support/use-opened.ts";
import { openPageClient, type PageClient, saveCompany } from "./page-client.ts";
import { insertSettledContacts } from "./settled-contacts.ts";

describe.each(await anyStore())("redelivering many events on $title", ({ createDatabase }) => {
  let database: TestDatabase;
  let platform: PlatformUnderTest;
  let hana: PageClient;
  const receiver = useReceiver(respondWith(200));
  /** The ids of failed deliveries, 484 for Ben and 16 for Amal, oldest first. */
  let ids: { amal: string[]; ben: string[] };

  beforeAll(async () => {
    database = await createDatabase();
    // The first start creates the tables and the test data.
    await (await openPlatform(database)).close();
    const store = await openStore(database.options);
    const startMs = Date.parse("2026-03-01T12:00:00Z");
    const insertFailed = (workerId: string, fromMs: number, count: number) =>
      insertSettledContacts(store, { workerId, count, state: "dead", from: new Date(fromMs) });
    ids = {
      ben: await insertFailed("worker_ben", startMs, 484),
      amal: await insertFailed("worker_amal", startMs + 3_600_000, 16),
    };
    await store.close();
    platform = await openPlatform(database);
    hana = openPageClient(platform.address);
    await hana.signIn("hana@harbour-hotels.example");
    await saveCompany(hana, receiver);
    receiver.requests.length = 0;
  });
  afterAll(async () => {
    await platform.close();
    await database.remove();
  });

  const receivedIds = () =>
    receiver.requests.map(({ headers }) => String(headers["offers-delivery-id"])).filter((id) => id !== "undefined");
  /** Requests the confirmation page for a query. @returns the page and its hidden fields */
  async function openConfirmation(query: string) {
    const { text, status } = await hana.get(`/deliveries/redeliver?${query}`);
    expect(status).toBe(200);
    const hidden = [...text.matchAll(/<input type="hidden" name="(last|which|idempotencyKey)" value="([^"]*)">/g)];
    return { text, fields: Object.fromEntries(hidden.map(([, name, value]) => [name, value])) };
  }

  test("the confirmation page shows the number of events that match the filter, and only those events are redelivered [D-149]", async () => {
    const query = "state=dead&from=2026-03-01T12%3A00&until=2026-03-01T14%3A00&q=amal";
    const list = await hana.get(`/deliveries?${query}`);
    expect(list.text).toContain(
      `href="/deliveries/redeliver?state=dead&amp;from=2026-03-01T12%3A00&amp;until=2026-03-01T14%3A00&amp;q=amal"`,
    );
    const { text, fields } = await openConfirmation(query);
    expect(text).toContain("Redeliver 16 events?");
    expect(text).toContain("worker, offer or id “amal”");
    expect(text).toContain("before 2026-03-01 14:00");
    expect(receivedIds()).toEqual([]);

    const redirect = await hana.send(`/deliveries/redeliver?${query}`, fields);
    // The redirect preserves the filter.
    expect(redirect.status).toBe(303);
    expect(redirect.location).toBe(`/deliveries?${query}`);
    expect((await hana.get(redirect.location ?? "")).text).toContain("16 events are being redelivered.");
    await eventually("all are sent", () => receivedIds().length >= 16);
    expect(receivedIds().toSorted()).toEqual(ids.amal.toSorted());

    // Submitting the form again has no effect.
    expect((await hana.send(`/deliveries/redeliver?${query}`, fields)).status).toBe(303);
    await eventually("the redelivery has ended", async () =>
      (await hana.get("/deliveries")).text.includes("Redelivered: 16 events."),
    );
    expect(receivedIds()).toHaveLength(16);
  });

  test("a user can redeliver only the selected rows", async () => {
    receiver.requests.length = 0;
    const list = (await hana.get("/deliveries?state=dead&q=ben")).text;
    const listedIds = [...list.matchAll(/type="checkbox" name="id" id="tick-[^"]+" value="([^"]+)"/g)].map(
      ([, id]) => id ?? "",
    );
    expect(listedIds).toHaveLength(50);
    const selectedIds = listedIds.slice(3, 6);
    const query = new URLSearchParams([["q", "ben"], ["state", "dead"], ...selectedIds.map((id) => ["id", id])] as [
      string,
      string,
    ][]);
    const { text, fields } = await openConfirmation(String(query));
    expect(text).toContain("Redeliver 3 events?");
    const { location } = await hana.send(`/deliveries/redeliver?${query}`, fields);
    expect(location).toBe("/deliveries?state=dead&q=ben");
    await eventually("all are sent", () => receivedIds().length >= 3);
    expect(receivedIds().toSorted()).toEqual(selectedIds.toSorted());
  });

  test("without a state in the filter, the confirmation page asks which events to redeliver and preselects failed events", async () => {
    const showsAllAcknowledged = async () =>
      (await openConfirmation("")).text.includes("<span>Acknowledged: 19 events");
    await eventually("all redelivered events are acknowledged", showsAllAcknowledged);
    const { text } = await openConfirmation("");
    expect(text).toMatch(/value="dead" checked> <span>Failed: 481 events/);
    expect(text).toContain("<span>All: 500 events");
    expect((await openConfirmation("state=pending")).text).toContain("Nothing to redeliver");
    for (const fields of [{}, { which: "constructor", last: "1" }, { which: "all", last: "x" }])
      expect((await hana.send("/deliveries/redeliver", fields)).status).toBe(422);
  });

  test("a redelivery never includes another organisation's deliveries", async () => {
    receiver.requests.length = 0;
    const bo = openPageClient(platform.address);
    await bo.signIn("bo@bistro-group.example");
    const query = `id=${ids.ben[0]}`;
    expect((await bo.get(`/deliveries/redeliver?${query}`)).text).toContain("Nothing to redeliver");
    await bo.send(`/deliveries/redeliver?${query}`, { which: "all", last: "999999", idempotencyKey: randomUUID() });
    await eventually("the redelivery has ended", async () =>
      (await bo.get("/deliveries")).text.includes("Redelivered: 0 events."),
    );
    expect(receivedIds()).toEqual([]);
  });
});
