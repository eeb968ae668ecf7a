import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { responseOrderKey } from "../../src/webhooks/record-event.ts";
import { eventually } from "../support/eventually.ts";
import { openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { respondWith } from "../support/receiver.ts";
import { anyStore, type TestDatabase } from "../support/stores/stores.ts";
import { useReceiver } from "../support/use-opened.ts";
import { openPageClient, type PageClient } from "./page-client.ts";

const key = "demo-key-harbour";

describe.each(await anyStore())("searching deliveries on $title", ({ createDatabase }) => {
  let database: TestDatabase;
  let platform: PlatformUnderTest;
  let hana: PageClient;
  let offerId: string;

  const receiver = useReceiver(respondWith(200));
  beforeAll(async () => {
    database = await createDatabase();
    platform = await openPlatform(database);
    hana = openPageClient(platform.address);
    await hana.signIn("hana@harbour-hotels.example");
    const token = await platform.signInPerson("hana@harbour-hotels.example");
    const json = { baseAddress: receiver.baseAddress, secret: "x".repeat(20), suggestsContacts: false };
    await platform.call("PUT", "/portal/profile", { token, json });
    offerId = await createOfferAndApply("Kitchen 100%", "worker_amal");
    await createOfferAndApply("Bar on Friday", "worker_ben");
    const worker = await platform.signInWorker("worker_amal");
    await platform.call("POST", "/worker-app/contacts", { token: worker, json: { organisationId: "org_harbour" } });
    await eventually("all are delivered", async () => (await searchTitles("state=acknowledged")).length === 3);
  });
  afterAll(async () => {
    await platform.close();
    await database.remove();
  });

  async function createOfferAndApply(title: string, workerId: string): Promise<string> {
    const json = { createdByUserId: "user_hana", title, workerIds: [workerId] };
    const { id } = (await platform.call("POST", "/offer", { key, json })).json<{ id: string }>();
    await platform.call("POST", `/worker-app/offers/${id}/apply`, { token: await platform.signInWorker(workerId) });
    return id;
  }
  const extractTitles = (text: string): string[] =>
    [...text.matchAll(/<a href="\/deliveries\/[\w-]+">([^<]+)<\/a>/g)].map(([, title = ""]) => title);
  const searchTitles = async (query: string) => extractTitles((await hana.get(`/deliveries?${query}`)).text);

  const [amalResponse, benResponse] = [
    "Amal Haddad applied for “Kitchen 100%”",
    "Ben Okafor applied for “Bar on Friday”",
  ];
  const amalContact = "Amal Haddad added your organisation as a contact";

  test("a search finds deliveries by part of a worker name or offer title, or by id [D-124]", async () => {
    expect(await searchTitles("q=haddad")).toEqual([amalContact, amalResponse]);
    expect(await searchTitles("q=worker_ben")).toEqual([benResponse]);
    expect(await searchTitles("q=friday")).toEqual([benResponse]);
    expect(await searchTitles(`q=${offerId}`)).toEqual([amalResponse]);
    expect(await searchTitles("q=haddad&type=workerOfferResponse")).toEqual([amalResponse]);
    expect(await searchTitles("q=100%25")).toEqual([amalResponse]);
    expect(await searchTitles("q=0%25%25")).toEqual([]);
    expect(await searchTitles("q=nobody")).toEqual([]);
  });

  test("a filter finds deliveries in a time range in the user's time zone [D-124]", async () => {
    const formatMinute = (ms: number) => new Date(ms).toISOString().slice(0, 16);
    const [before, after] = [formatMinute(Date.now() - 600_000), formatMinute(Date.now() + 600_000)];
    expect(await searchTitles(`from=${before}&until=${after}`)).toHaveLength(3);
    expect(await searchTitles(`from=${after}`)).toEqual([]);
    expect(await searchTitles(`until=${before}`)).toEqual([]);
    await hana.send("/company/time-zone", { timeZone: "Asia/Tokyo" });
    expect(await searchTitles(`until=${after}`)).toEqual([]);
    expect(await searchTitles("from=2027-02-31T10:00")).toHaveLength(3);
  });

  test("deliveries can be sorted with the oldest first [D-124]", async () => {
    expect(await searchTitles("sort=oldest")).toEqual([amalResponse, benResponse, amalContact]);
    expect(await searchTitles("sort=newest")).toEqual([amalContact, benResponse, amalResponse]);
  });

  test("a search does not find another organisation's deliveries", async () => {
    const bo = openPageClient(platform.address);
    await bo.signIn("bo@bistro-group.example");
    expect(extractTitles((await bo.get("/deliveries?q=amal")).text)).toEqual([]);
  });

  test("the database and the platform compute the same order key for a response, whatever the ids contain", async () => {
    const store = await openStore({ ...(await createDatabase()).options, onError: () => undefined });
    const ids = ['"', "\\", "a\tb\n", "é厨😀", "\u2028\u007f", "\u0001", "</script>", "plain"];
    for (const id of ids) {
      const { rows } = await sql<{ key: string }>`
        select ${responseOrderKey} as key from (values (${id}::text, ${`w${id}`}::text)) as given (offer_id, worker_id)`.execute(
        store.db,
      );
      expect(rows).toEqual([{ key: JSON.stringify([id, `w${id}`]) }]);
    }
    await store.close();
  });
});
