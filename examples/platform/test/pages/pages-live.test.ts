import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { readEvents } from "../support/read-events.ts";
import { respondWith } from "../support/receiver.ts";
import { anyStore, type TestDatabase } from "../support/stores/stores.ts";
import { useReceiver } from "../support/use-opened.ts";
import { openPageClient, type PageClient } from "./page-client.ts";
import { type LiveReader, readLive } from "./read-live.ts";

const secret = "9a4f3c52-7c1e-4b57-9e0c-2f4f6f0f6a11";
const hanaAddress = "hana@harbour-hotels.example";
const boAddress = "bo@bistro-group.example";
const people = [{ name: "Bo", emailAddress: boAddress }];
const suggestions = people.map((person) => ({
  ...person,
  profileImageUrl: "https://bistro.example/bo.png",
  ratings: [],
}));
const well = respondWith(200, { "content-type": "application/json" }, JSON.stringify(suggestions));

const stores = await anyStore();
const isShared = (title: string): boolean => title.startsWith("PostgreSQL");
const isFull = process.env.TEST_MATRIX === "full";
const makers = stores.flatMap((store) => [
  ...(isFull || !isShared(store.title) ? [{ ...store, maker: "this process" }] : []),
  ...(isShared(store.title) ? [{ ...store, maker: "another process" }] : []),
]);

describe.each(makers)("changes by $maker, live, on $title", ({ createDatabase, maker }) => {
  let database: TestDatabase;
  /** The platform process that serves the open pages. */
  let platform: PlatformUnderTest;
  /** The platform process that makes the changes. */
  let other: PlatformUnderTest;
  let hana: PageClient;
  let bo: PageClient;
  /** A client with Hana's session on `other`. */
  let hanaThere: PageClient;

  const receiver = useReceiver(well);
  beforeAll(async () => {
    database = await createDatabase();
    platform = await openPlatform(database, { showAllMail: false });
    other = maker === "this process" ? platform : await openPlatform(database, { showAllMail: false });
    hana = await clientAt(platform, hanaAddress);
    hanaThere = await clientAt(other, hanaAddress);
    bo = await clientAt(platform, boAddress);
  });
  afterAll(async () => {
    await Promise.all([...new Set([platform, other])].map((each) => each.close()));
    await database.remove();
  });

  async function clientAt({ address }: PlatformUnderTest, name: string): Promise<PageClient> {
    const client = openPageClient(address);
    await client.signIn(name);
    return client;
  }
  /** Starts reading the live stream of a user's pages. */
  async function follow(client: PageClient): Promise<LiveReader> {
    const { text } = await client.get("/offers");
    return readLive(platform.address + (/data-live-stream="([^"]+)"/.exec(text)?.[1] ?? ""), client.cookie());
  }
  async function callAs(method: string, path: string, json?: unknown): Promise<string> {
    const response = await other.call(method, path, { token: await other.signInPerson(hanaAddress), json });
    expect(response.status).toBeLessThan(300);
    return response.text;
  }
  /** Waits until nothing is pending and all signals have arrived. */
  async function quiet(): Promise<void> {
    await eventually("nothing waits", async () => !(await callAs("GET", "/portal/deliveries")).includes('"pending"'));
    await setTimeout(200);
  }
  async function expectSignalled(topics: string[], change: () => Promise<unknown>, client = hana): Promise<void> {
    const reader = await follow(client);
    await change();
    await eventually(`${topics} are signalled`, () => topics.every((topic) => reader.countOf(topic) > 0));
    reader.disconnect();
  }
  const key = "demo-key-harbour";
  const creation = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };
  async function create(changes: object = {}): Promise<string> {
    const response = await other.call("POST", "/offer", { key, json: { ...creation, ...changes } });
    return response.json<{ id: string }>().id;
  }
  async function act(action: string, id: string): Promise<void> {
    const token = await other.signInWorker("worker_amal");
    expect((await other.call("POST", `/worker-app/offers/${id}/${action}`, { token })).status).toBe(204);
  }
  const profile = () => ({ baseAddress: receiver.baseAddress, secret, suggestsContacts: true });
  async function addContact(): Promise<void> {
    const token = await other.signInWorker("worker_amal");
    const json = { organisationId: "org_harbour" };
    expect((await other.call("POST", "/worker-app/contacts", { token, json })).status).toBe(204);
  }
  /** Makes the endpoint respond only after `work`, so that no attempt signals a change until then. */
  async function beforeAnyAttempt(work: () => Promise<void>): Promise<void> {
    const waiting: (() => void)[] = [];
    receiver.respond = (request, response) => void waiting.push(() => well(request, response));
    try {
      await work();
    } finally {
      receiver.respond = well;
      for (const response of waiting) response();
    }
  }

  describe("an offer", () => {
    test("is sent when it is created [D-82]", () => expectSignalled(["offer"], () => create()));

    test.each(["open", "apply", "reject", "close"])("is sent when its worker acts: %s", async (action) => {
      const id = await create();
      await expectSignalled(["offer"], () => act(action, id));
    });

    test("is sent when it is completed or withdrawn, over the API and on pages", async () => {
      const [first, second] = [await create(), await create()];
      for (const id of [first, second]) await act("apply", id);
      const complete = `/offer/${first}/complete?api-version=1.0`;
      await expectSignalled(["offer"], () => other.call("POST", complete, { key, json: ["worker_amal"] }));
      await expectSignalled(["offer"], () => other.call("GET", `/offer/${first}/withdraw`, { key }));
      const chosen = { worker: "worker_amal", confirmed: "yes" };
      await expectSignalled(["offer"], () => hanaThere.send(`/offers/${second}/complete`, chosen));
      await expectSignalled(["offer"], () => hanaThere.send(`/offers/${second}/withdraw`));
    });
  });

  describe("an endpoint", () => {
    test("is sent when it is saved, when suggestions are switched, and when its secret is rotated", async () => {
      await expectSignalled(["endpoint"], () => callAs("PUT", "/portal/profile", profile()));
      const { secret: _, ...turned } = profile();
      await expectSignalled(["endpoint"], () => callAs("PUT", "/portal/profile", turned));
      await expectSignalled(["endpoint"], () => callAs("POST", "/portal/profile/rotation", { secret: `${secret}-2` }));
    });

    test("is sent when it is disabled, with the mail about it, and when it is enabled", async () => {
      const id = await create();
      await quiet();
      await expectSignalled(["endpoint", "delivery", "mail"], async () => {
        receiver.respond = respondWith(410);
        await act("apply", id);
      });
      receiver.respond = well;
      await quiet();
      await expectSignalled(["endpoint", "delivery"], () => callAs("POST", "/portal/profile/enable"));
    });
  });

  describe("a delivery", () => {
    test("is sent when it is recorded, for a response and for a contact", async () => {
      const id = await create();
      await quiet();
      await beforeAnyAttempt(() => expectSignalled(["delivery"], () => act("apply", id)));
      await quiet();
      await beforeAnyAttempt(() => expectSignalled(["delivery"], addContact));
    });

    test("is sent with each attempt", async () => {
      await quiet();
      const reader = await follow(hana);
      await beforeAnyAttempt(async () => {
        await addContact();
        await eventually("its recording is signalled", () => reader.countOf("delivery") > 0);
        await setTimeout(200);
      });
      const recorded = reader.countOf("delivery");
      await eventually("its attempt is signalled", () => reader.countOf("delivery") > recorded);
      reader.disconnect();
    });

    test("is sent when it is redelivered, alone or with others, over the API and on pages", async () => {
      await quiet();
      const since = new Date().toISOString();
      await addContact();
      const again = (redeliver: (id: string) => Promise<unknown>): Promise<void> =>
        beforeAnyAttempt(async () => {
          const { deliveries } = JSON.parse(await callAs("GET", "/portal/deliveries"));
          await expectSignalled(["delivery"], () => redeliver(deliveries[0].id));
        });
      await quiet();
      await again((id) => callAs("POST", `/portal/deliveries/${id}/redeliver`));
      await quiet();
      await again((id) => hanaThere.send(`/deliveries/${id}/redeliver`));
      await quiet();
      await again(() => callAs("POST", "/portal/deliveries/redeliver", { since, state: "acknowledged" }));
      await quiet();
      const path = `/deliveries/redeliver?from=${since.replace("Z", "")}`;
      const form = { which: "acknowledged", last: String(Number.MAX_SAFE_INTEGER) };
      await again(() => hanaThere.send(path, form));
    });
  });

  describe("mail", () => {
    test("is sent only to its recipient", async () => {
      await quiet();
      const reader = await follow(hana);
      for (const notifyEmailAddress of ["else@example.com", boAddress, "Hana@harbour-hotels.example"])
        await create({ notifyEmailAddress });
      await eventually("the mail is signalled", () => reader.countOf("mail") > 0);
      await setTimeout(500);
      expect(reader.countOf("mail")).toBe(1);
      reader.disconnect();
    });

    test("is sent when it invites a user of the platform", async () => {
      await callAs("PUT", "/portal/profile", profile());
      await callAs("POST", "/portal/suggestions/search", { organisationIds: ["org_harbour"] });
      const json = { organisationId: "org_harbour", people };
      await expectSignalled(["mail"], () => callAs("POST", "/portal/invitations", json), bo);
    });
  });

  test("another organisation's changes are not sent", async () => {
    await quiet();
    const [his, hers] = [await follow(bo), await follow(hana)];
    await act("apply", await create());
    await eventually("her page is signalled", () => hers.countOf("delivery") > 0);
    await setTimeout(1_000);
    expect(his.events).toEqual([]);
    his.disconnect();
    hers.disconnect();
  });

  test("a worker sees a notification immediately and once", async () => {
    const token = await platform.signInWorker("worker_dana");
    const stream = await readEvents(`${platform.address}/worker-app/notifications/stream`, token);
    const ids: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      ids.push(await create({ workerIds: ["worker_dana", "worker_amal"] }));
      await eventually("it is heard", () => stream.events.length > round);
    }
    await setTimeout(500);
    expect(stream.events.map(({ data }) => data.offerId)).toEqual(ids);
    stream.disconnect();
  });
});
