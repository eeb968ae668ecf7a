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
    offerId = await respondTo("Kitchen 100%", "worker_amal");
    await respondTo("Bar on Friday", "worker_ben");
    const worker = await platform.signInWorker("worker_amal");
    await platform.call("POST", "/worker-app/contacts", { token: worker, json: { organisationId: "org_harbour" } });
    await eventually("all are delivered", async () => (await shown("state=acknowledged")).length === 3);
  });
  afterAll(async () => {
    await platform.close();
    await database.remove();
  });

  async function respondTo(title: string, workerId: string): Promise<string> {
    const json = { createdByUserId: "user_hana", title, workerIds: [workerId] };
    const { id } = (await platform.call("POST", "/offer", { key, json })).json<{ id: string }>();
    await platform.call("POST", `/worker-app/offers/${id}/apply`, { token: await platform.signInWorker(workerId) });
    return id;
  }
  const titles = (text: string): string[] =>
    [...text.matchAll(/<a href="\/deliveries\/[\w-]+">([^<]+)<\/a>/g)].map(([, title = ""]) => title);
  const shown = async (query: string) => titles((await hana.get(`/deliveries?${query}`)).text);

  const [amal, ben] = ["Amal Haddad applied for “Kitchen 100%”", "Ben Okafor applied for “Bar on Friday”"];
  const contact = "Amal Haddad added your organisation as a contact";

  test("finds those of a worker or an offer by part of the name or by id [D-124]", async () => {
    expect(await shown("q=haddad")).toEqual([contact, amal]);
    expect(await shown("q=worker_ben")).toEqual([ben]);
    expect(await shown("q=friday")).toEqual([ben]);
    expect(await shown(`q=${offerId}`)).toEqual([amal]);
    expect(await shown("q=haddad&type=workerOfferResponse")).toEqual([amal]);
    expect(await shown("q=100%25")).toEqual([amal]);
    expect(await shown("q=0%25%25")).toEqual([]);
    expect(await shown("q=nobody")).toEqual([]);
  });

  test("finds those in a time range, in the person's time zone [D-124]", async () => {
    const minute = (ms: number) => new Date(ms).toISOString().slice(0, 16);
    const [before, after] = [minute(Date.now() - 600_000), minute(Date.now() + 600_000)];
    expect(await shown(`from=${before}&until=${after}`)).toHaveLength(3);
    expect(await shown(`from=${after}`)).toEqual([]);
    expect(await shown(`until=${before}`)).toEqual([]);
    await hana.send("/company/time-zone", { timeZone: "Asia/Tokyo" });
    expect(await shown(`until=${after}`)).toEqual([]);
    expect(await shown("from=2027-02-31T10:00")).toHaveLength(3);
  });

  test("lists the oldest first on request [D-124]", async () => {
    expect(await shown("sort=oldest")).toEqual([amal, ben, contact]);
    expect(await shown("sort=newest")).toEqual([contact, ben, amal]);
  });

  test("finds nothing of another organisation", async () => {
    const bo = openPageClient(platform.address);
    await bo.signIn("bo@bistro-group.example");
    expect(titles((await bo.get("/deliveries?q=amal")).text)).toEqual([]);
  });

  test("the database computes a response's order key as the platform does, whatever the ids contain", async () => {
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
