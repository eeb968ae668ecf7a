import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readOfferDetails } from "../../src/routes/portal/offers/read-offers.ts";
import { readOrganisations } from "../../src/routes/worker-app/contacts.ts";
import { addOrganisation, openDeliveryFixture } from "../support/delivery-fixture.ts";
import { openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { respondWith } from "../support/receiver.ts";
import { anyStore, type TestDatabase } from "../support/stores/stores.ts";
import { useReceiver } from "../support/use-opened.ts";
import { openPageClient, type PageClient } from "./page-client.ts";

describe.each(await anyStore())("long lists on $title", ({ createDatabase }) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database.remove());

  describe("on pages", () => {
    let platform: PlatformUnderTest;
    let hana: PageClient;
    const receiver = useReceiver(respondWith(200));
    beforeAll(async () => {
      platform = await openPlatform(database);
      hana = openPageClient(platform.address);
      await hana.signIn("hana@harbour-hotels.example");
    });
    afterAll(async () => {
      await platform.close();
    });

    /** Follows a list's links to its last page. @returns the items on each page */
    async function readAllPages(path: string, itemPattern: RegExp): Promise<string[][]> {
      const itemsByPage: string[][] = [];
      let next: string | undefined = path;
      while (next !== undefined) {
        const { status, text } = await hana.get(next);
        expect(status).toBe(200);
        itemsByPage.push([...text.matchAll(itemPattern)].map(([, item = ""]) => item));
        expect(/>(Newest|First page)<\/a>/.test(text)).toBe(itemsByPage.length > 1);
        next = /href="([^"]+)">(?:Older|More)<\/a>/.exec(text)?.[1]?.replaceAll("&amp;", "&");
      }
      return itemsByPage;
    }

    test("the offer list links to older offers and shows each offer once [D-116]", async () => {
      for (let number = 1; number <= 101; number += 1) {
        const json = { createdByUserId: "user_hana", title: `No. ${number}`, workerIds: ["worker_amal"] };
        await platform.call("POST", "/offer", { key: "demo-key-harbour", json });
      }
      const itemsByPage = await readAllPages("/offers", />No\. (\d+)<\/a>/g);
      expect(itemsByPage.map(({ length }) => length)).toEqual([50, 50, 1]);
      expect(itemsByPage.flat()).toEqual(Array.from({ length: 101 }, (_, index) => String(101 - index)));
      const oldest = await readAllPages("/offers?q=no.&sort=oldest", />No\. (\d+)<\/a>/g);
      expect(oldest.flat()).toEqual(itemsByPage.flat().reverse());
      const bo = openPageClient(platform.address);
      await bo.signIn("bo@bistro-group.example");
      const older = /href="([^"]+)">Older/.exec((await hana.get("/offers")).text)?.[1] ?? "";
      expect((await bo.get(older)).text).toContain("No older offers.");
    });

    test("offers sorted by work date start with the next or the last work, and offers without a date come last [D-116]", async () => {
      const days = ["03", "01", "02"];
      for (let number = 1; number <= 90; number += 1) {
        const day = days[number % 3];
        const events = number <= 30 ? [{ start: `2099-05-${day}T10:00:00Z`, end: `2099-05-${day}T12:00:00Z` }] : [];
        const title = `Dated ${number <= 30 ? day : "never"} ${number}`;
        const json = { createdByUserId: "user_hana", title, workerIds: ["worker_amal"], events };
        await platform.call("POST", "/offer", { key: "demo-key-harbour", json });
      }
      const dated = (day: string) => Array.from({ length: 10 }, () => day);
      const never = Array.from({ length: 60 }, () => "never");
      for (const [query, order] of [
        ["sort=nextWork", ["01", "02", "03"]],
        ["time=upcoming", ["01", "02", "03"]],
        ["sort=lastWork", ["03", "02", "01"]],
      ] as const) {
        const itemsByPage = await readAllPages(`/offers?q=dated&${query}`, />(Dated \w+ \d+)<\/a>/g);
        expect(itemsByPage.map(({ length }) => length)).toEqual([50, 40]);
        expect(new Set(itemsByPage.flat()).size).toBe(90);
        expect(itemsByPage.flat().map((title) => title.split(" ")[1])).toEqual([...order.flatMap(dated), ...never]);
      }
      const onSecond = await readAllPages("/offers?q=dated&from=2099-05-02&until=2099-05-02", />(Dated \w+) \d+<\/a>/g);
      expect(onSecond.flat()).toEqual(dated("Dated 02"));
    });

    test("the invitation list and the mailbox link to older entries and show each entry once [D-92]", async () => {
      const token = await platform.signInPerson("hana@harbour-hotels.example");
      const profile = { baseAddress: receiver.baseAddress, secret: "x".repeat(20), suggestsContacts: true };
      expect((await platform.call("PUT", "/portal/profile", { token, json: profile })).status).toBe(200);
      for (const numbers of [[1], Array.from({ length: 100 }, (_, index) => index + 2)]) {
        const people = numbers.map((number) => ({ name: `Guest ${number}`, emailAddress: `g${number}@example.com` }));
        const json = { organisationId: "org_harbour", people };
        receiver.respond = respondWith(200, {}, JSON.stringify(people.map((person) => ({ ...person, ratings: [] }))));
        const search = { token, json: { organisationIds: ["org_harbour"] } };
        await platform.call("POST", "/portal/suggestions/search", search);
        expect((await platform.call("POST", "/portal/invitations", { token, json })).status).toBe(201);
      }
      for (const [path, itemPattern] of [
        ["/invitations", /<th scope="row" role="rowheader">Guest (\d+)/g],
        ["/mailbox", /Dear Guest (\d+),/g],
      ] as const) {
        const itemsByPage = await readAllPages(path, itemPattern);
        expect(itemsByPage.map(({ length }) => length)).toEqual([100, 1]);
        expect(new Set(itemsByPage.flat()).size).toBe(101);
        expect(itemsByPage.at(-1)).toEqual(["1"]);
      }
    });

    test.each(["/offers", "/invitations", "/mailbox", "/deliveries"])(
      "%s shows its first page when the cursor is invalid",
      async (path) => {
        for (const before of ["%00", "%ED%A0%80", "-1", "1e99", "'", "nowhere"])
          expect((await hana.get(`${path}?before=${before}`)).status).toBe(200);
      },
    );
  });

  test("pages of recipients start with applicants, and pages of organisations are sorted by name", async () => {
    const fixture = await openDeliveryFixture(database);
    const { store } = fixture;
    const organisationId = await addOrganisation(store);
    const offerId = randomUUID();
    const empty = { title: "", details: "", location_place_id: "", notify_email_address: null, events: "[]" };
    const offer = { id: offerId, organisation_id: organisationId, created_by_user_id: "user-1", ends_at: null };
    await store.db
      .insertInto("offers")
      .values({ ...offer, ...empty })
      .execute();
    const responses = ["none", "applied", "rejected", "applied", "none"];
    const workers = responses.map((response, index) => ({ id: `${offerId} ${index}`, response }));
    await store.db
      .insertInto("workers")
      .values(workers.map(({ id }) => ({ id, name: id, password_hash: "" })))
      .execute();
    await store.db
      .insertInto("recipients")
      .values(workers.map(({ id, response }) => ({ offer_id: offerId, worker_id: id, response })))
      .execute();
    const pagedWorkers: string[] = [];
    for (let after: number | undefined, hasMore = true; hasMore; ) {
      const { recipients } = await readOfferDetails(
        { store, now: () => new Date() },
        { organisationIds: [organisationId] },
        offerId,
        {
          after,
          limit: 2,
        },
      );
      pagedWorkers.push(...recipients.map(({ workerId }) => workerId.slice(-1)));
      after = recipients.at(-1)?.id;
      hasMore = recipients.length > 0;
    }
    expect(pagedWorkers).toEqual(["1", "3", "0", "2", "4"]);

    const all = await readOrganisations({ store }, { after: undefined, limit: 1_000 });
    const [first, ...others] = all;
    expect(await readOrganisations({ store }, { after: first?.id, limit: 1_000 })).toEqual(others);
    await fixture.close();
  });
});
