import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { readEvents } from "../support/read-events.ts";
import { respondWith } from "../support/receiver.ts";
import { anyStore, type TestDatabase } from "../support/stores/stores.ts";
import { useReceiver } from "../support/use-opened.ts";
import { openPageClient, type PageClient } from "./page-client.ts";
import { type LiveReader, openLiveReader } from "./read-live.ts";

const secret = "9a4f3c52-7c1e-4b57-9e0c-2f4f6f0f6a11";
const hanaAddress = "hana@harbour-hotels.example";
const boAddress = "bo@bistro-group.example";
const people = [{ name: "Bo", emailAddress: boAddress }];
const suggestions = people.map((person) => ({
  ...person,
  profileImageUrl: "https://bistro.example/bo.png",
  ratings: [],
}));
const respondWithSuggestions = respondWith(200, { "content-type": "application/json" }, JSON.stringify(suggestions));

const stores = await anyStore();
const isShared = (title: string): boolean => title.startsWith("PostgreSQL");
const testsEveryCombination = process.env.TEST_MATRIX === "full";
const variants = stores.flatMap((store) => [
  ...(testsEveryCombination || !isShared(store.title) ? [{ ...store, changer: "this process" }] : []),
  ...(isShared(store.title) ? [{ ...store, changer: "another process" }] : []),
]);

describe.each(variants)("live changes made by $changer on $title", ({ createDatabase, changer }) => {
  let database: TestDatabase;
  /** The platform process that serves the open pages. */
  let platform: PlatformUnderTest;
  /** The platform process that makes the changes. */
  let changingPlatform: PlatformUnderTest;
  let hana: PageClient;
  let bo: PageClient;
  /** A client with Hana's session on `changingPlatform`. */
  let hanaAtChangingPlatform: PageClient;

  const receiver = useReceiver(respondWithSuggestions);
  beforeAll(async () => {
    database = await createDatabase();
    platform = await openPlatform(database, { showAllMail: false });
    changingPlatform = changer === "this process" ? platform : await openPlatform(database, { showAllMail: false });
    hana = await openSignedInClient(platform, hanaAddress);
    hanaAtChangingPlatform = await openSignedInClient(changingPlatform, hanaAddress);
    bo = await openSignedInClient(platform, boAddress);
  });
  afterAll(async () => {
    await Promise.all([...new Set([platform, changingPlatform])].map((each) => each.close()));
    await database.remove();
  });

  async function openSignedInClient({ address }: PlatformUnderTest, name: string): Promise<PageClient> {
    const client = openPageClient(address);
    await client.signIn(name);
    return client;
  }
  /** Starts reading the live stream of a person's pages. */
  async function openLiveStream(client: PageClient): Promise<LiveReader> {
    const { text } = await client.get("/offers");
    return openLiveReader(platform.address + (/data-live-stream="([^"]+)"/.exec(text)?.[1] ?? ""), client.cookie());
  }
  async function callAsHana(method: string, path: string, json?: unknown): Promise<string> {
    const response = await changingPlatform.call(method, path, {
      token: await changingPlatform.signInPerson(hanaAddress),
      json,
    });
    expect(response.status).toBeLessThan(300);
    return response.text;
  }
  /** Waits until nothing is pending and all signals have arrived. */
  async function waitUntilQuiet(): Promise<void> {
    await eventually(
      "nothing is pending",
      async () => !(await callAsHana("GET", "/portal/deliveries")).includes('"pending"'),
    );
    await setTimeout(200);
  }
  async function expectSignalled(topics: string[], change: () => Promise<unknown>, client = hana): Promise<void> {
    const reader = await openLiveStream(client);
    await change();
    await eventually(`${topics} are signalled`, () => topics.every((topic) => reader.countOf(topic) > 0));
    reader.disconnect();
  }
  const key = "demo-key-harbour";
  const creation = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };
  async function createOffer(changes: object = {}): Promise<string> {
    const response = await changingPlatform.call("POST", "/offer", { key, json: { ...creation, ...changes } });
    return response.json<{ id: string }>().id;
  }
  async function actAsAmal(action: string, id: string): Promise<void> {
    const token = await changingPlatform.signInWorker("worker_amal");
    expect((await changingPlatform.call("POST", `/worker-app/offers/${id}/${action}`, { token })).status).toBe(204);
  }
  const buildProfile = () => ({ baseAddress: receiver.baseAddress, secret, suggestsContacts: true });
  async function addContact(): Promise<void> {
    const token = await changingPlatform.signInWorker("worker_amal");
    const json = { organisationId: "org_harbour" };
    expect((await changingPlatform.call("POST", "/worker-app/contacts", { token, json })).status).toBe(204);
  }
  /** Delays the endpoint's responses until `work` has finished, so that no attempt signals a change earlier. */
  async function withDelayedResponses(work: () => Promise<void>): Promise<void> {
    const pendingResponses: (() => void)[] = [];
    receiver.respond = (request, response) =>
      void pendingResponses.push(() => respondWithSuggestions(request, response));
    try {
      await work();
    } finally {
      receiver.respond = respondWithSuggestions;
      for (const respond of pendingResponses) respond();
    }
  }

  describe("offers", () => {
    test("creating an offer is signalled [D-82]", () => expectSignalled(["offer"], () => createOffer()));

    test.each(["open", "apply", "reject", "close"])(
      "a worker's action on an offer is signalled: %s",
      async (action) => {
        const id = await createOffer();
        await expectSignalled(["offer"], () => actAsAmal(action, id));
      },
    );

    test("completing or withdrawing an offer is signalled, over the API and on pages", async () => {
      const [first, second] = [await createOffer(), await createOffer()];
      for (const id of [first, second]) await actAsAmal("apply", id);
      const complete = `/offer/${first}/complete?api-version=1.0`;
      await expectSignalled(["offer"], () => changingPlatform.call("POST", complete, { key, json: ["worker_amal"] }));
      await expectSignalled(["offer"], () => changingPlatform.call("GET", `/offer/${first}/withdraw`, { key }));
      const form = { worker: "worker_amal", confirmed: "yes" };
      await expectSignalled(["offer"], () => hanaAtChangingPlatform.send(`/offers/${second}/complete`, form));
      await expectSignalled(["offer"], () => hanaAtChangingPlatform.send(`/offers/${second}/withdraw`));
    });
  });

  describe("endpoints", () => {
    test("saving an endpoint, with or without its secret, and rotating its secret are signalled", async () => {
      await expectSignalled(["endpoint"], () => callAsHana("PUT", "/portal/profile", buildProfile()));
      const { secret: _, ...withoutSecret } = buildProfile();
      await expectSignalled(["endpoint"], () => callAsHana("PUT", "/portal/profile", withoutSecret));
      await expectSignalled(["endpoint"], () =>
        callAsHana("POST", "/portal/profile/rotation", { secret: `${secret}-2` }),
      );
    });

    test("disabling an endpoint, the mail about it, and enabling it are signalled", async () => {
      const id = await createOffer();
      await waitUntilQuiet();
      await expectSignalled(["endpoint", "delivery", "mail"], async () => {
        receiver.respond = respondWith(410);
        await actAsAmal("apply", id);
      });
      receiver.respond = respondWithSuggestions;
      await waitUntilQuiet();
      await expectSignalled(["endpoint", "delivery"], () => callAsHana("POST", "/portal/profile/enable"));
    });
  });

  describe("deliveries", () => {
    test("a new delivery of a response or a contact is signalled", async () => {
      const id = await createOffer();
      await waitUntilQuiet();
      await withDelayedResponses(() => expectSignalled(["delivery"], () => actAsAmal("apply", id)));
      await waitUntilQuiet();
      await withDelayedResponses(() => expectSignalled(["delivery"], addContact));
    });

    test("each attempt is signalled", async () => {
      await waitUntilQuiet();
      const reader = await openLiveStream(hana);
      await withDelayedResponses(async () => {
        await addContact();
        await eventually("the recording is signalled", () => reader.countOf("delivery") > 0);
        await setTimeout(200);
      });
      const countBefore = reader.countOf("delivery");
      await eventually("the attempt is signalled", () => reader.countOf("delivery") > countBefore);
      reader.disconnect();
    });

    test("redelivering one or many deliveries is signalled, over the API and on pages", async () => {
      await waitUntilQuiet();
      const since = new Date().toISOString();
      await addContact();
      const expectRedeliverySignalled = (redeliver: (id: string) => Promise<unknown>): Promise<void> =>
        withDelayedResponses(async () => {
          const { deliveries } = JSON.parse(await callAsHana("GET", "/portal/deliveries"));
          await expectSignalled(["delivery"], () => redeliver(deliveries[0].id));
        });
      await waitUntilQuiet();
      await expectRedeliverySignalled((id) => callAsHana("POST", `/portal/deliveries/${id}/redeliver`));
      await waitUntilQuiet();
      await expectRedeliverySignalled((id) => hanaAtChangingPlatform.send(`/deliveries/${id}/redeliver`));
      await waitUntilQuiet();
      await expectRedeliverySignalled(() =>
        callAsHana("POST", "/portal/deliveries/redeliver", { since, state: "acknowledged" }),
      );
      await waitUntilQuiet();
      const path = `/deliveries/redeliver?from=${since.replace("Z", "")}`;
      const form = { which: "acknowledged", last: String(Number.MAX_SAFE_INTEGER) };
      await expectRedeliverySignalled(() => hanaAtChangingPlatform.send(path, form));
    });
  });

  describe("mail", () => {
    test("a mail is signalled only to its recipient", async () => {
      await waitUntilQuiet();
      const reader = await openLiveStream(hana);
      for (const notifyEmailAddress of ["else@example.com", boAddress, "Hana@harbour-hotels.example"])
        await createOffer({ notifyEmailAddress });
      await eventually("the mail is signalled", () => reader.countOf("mail") > 0);
      await setTimeout(500);
      expect(reader.countOf("mail")).toBe(1);
      reader.disconnect();
    });

    test("a mail that invites a person with an account is signalled", async () => {
      await callAsHana("PUT", "/portal/profile", buildProfile());
      await callAsHana("POST", "/portal/suggestions/search", { organisationIds: ["org_harbour"] });
      const json = { organisationId: "org_harbour", people };
      await expectSignalled(["mail"], () => callAsHana("POST", "/portal/invitations", json), bo);
    });
  });

  test("changes are not signalled to another organisation", async () => {
    await waitUntilQuiet();
    const [boReader, hanaReader] = [await openLiveStream(bo), await openLiveStream(hana)];
    await actAsAmal("apply", await createOffer());
    await eventually("Hana's page is signalled", () => hanaReader.countOf("delivery") > 0);
    await setTimeout(1_000);
    expect(boReader.events).toEqual([]);
    boReader.disconnect();
    hanaReader.disconnect();
  });

  test("a worker receives each notification once", async () => {
    const token = await platform.signInWorker("worker_dana");
    const stream = await readEvents(`${platform.address}/worker-app/notifications/stream`, token);
    const ids: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      ids.push(await createOffer({ workerIds: ["worker_dana", "worker_amal"] }));
      await eventually("the notification arrives", () => stream.events.length > index);
    }
    await setTimeout(500);
    expect(stream.events.map(({ data }) => data.offerId)).toEqual(ids);
    stream.disconnect();
  });
});
