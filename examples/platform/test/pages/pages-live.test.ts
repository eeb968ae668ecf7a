import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { eventually } from "../support/eventually.ts";
import { openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { readEvents } from "../support/read-events.ts";
import { answerWith, openReceiver, type Receiver } from "../support/receiver.ts";
import { type StorePlace, storesUnderTest } from "../support/stores/stores.ts";
import { openVisitor, type PageVisitor } from "./page-visitor.ts";
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
const well = answerWith(200, { "content-type": "application/json" }, JSON.stringify(suggestions));

const stores = await storesUnderTest();
const isShared = (title: string): boolean => title.startsWith("PostgreSQL");
const makers = stores.flatMap((store) => [
  { ...store, maker: "this process" },
  ...(isShared(store.title) ? [{ ...store, maker: "another process" }] : []),
]);

describe.each(makers)("what $maker changes, live, on $title", ({ createPlace, maker }) => {
  let place: StorePlace;
  /** Whose pages are open. */
  let platform: PlatformUnderTest;
  /** Where what changes is asked for. */
  let other: PlatformUnderTest;
  let receiver: Receiver;
  let hana: PageVisitor;
  let bo: PageVisitor;
  /** The form of her own pages there. */
  let hanaThere: PageVisitor;

  beforeAll(async () => {
    place = await createPlace();
    platform = await openPlatform(place, { showAllMail: false });
    other = maker === "this process" ? platform : await openPlatform(place, { showAllMail: false });
    receiver = await openReceiver(well);
    hana = await visitorAt(platform, hanaAddress);
    hanaThere = await visitorAt(other, hanaAddress);
    bo = await visitorAt(platform, boAddress);
  });
  afterAll(async () => {
    await Promise.all([...new Set([platform, other])].map((each) => each.close()));
    await receiver.close();
    await place.remove();
  });

  async function visitorAt({ address }: PlatformUnderTest, name: string): Promise<PageVisitor> {
    const visitor = openVisitor(address);
    await visitor.signIn(name);
    return visitor;
  }
  /** Follows the pages of a person, from now on. */
  async function follow(visitor: PageVisitor): Promise<LiveReader> {
    const { text } = await visitor.get("/offers");
    return readLive(platform.address + (/data-live-stream="([^"]+)"/.exec(text)?.[1] ?? ""), visitor.cookie());
  }
  async function callAs(method: string, path: string, json?: unknown): Promise<string> {
    const response = await other.call(method, path, { token: await other.signInPerson(hanaAddress), json });
    expect(response.status).toBeLessThan(300);
    return response.text;
  }
  /** Nothing is delivered, and what was has been told. */
  async function quiet(): Promise<void> {
    await eventually("nothing waits", async () => !(await callAs("GET", "/portal/deliveries")).includes('"pending"'));
    await setTimeout(200);
  }
  async function expectTold(topics: string[], change: () => Promise<unknown>, visitor = hana): Promise<void> {
    const reader = await follow(visitor);
    await change();
    await eventually(`${topics} are told`, () => topics.every((topic) => reader.told(topic) > 0));
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
  /** The endpoint does not respond before this resolves: until then no signal about deliveries comes from an attempt. */
  async function beforeAnyAttempt(work: () => Promise<void>): Promise<void> {
    const waiting: (() => void)[] = [];
    receiver.answer = (request, response) => void waiting.push(() => well(request, response));
    try {
      await work();
    } finally {
      receiver.answer = well;
      for (const response of waiting) response();
    }
  }

  describe("an offer", () => {
    test("is sent when it is created", () => expectTold(["offer"], () => create()));

    test.each(["open", "apply", "reject", "close"])("is sent when its worker does this: %s", async (action) => {
      const id = await create();
      await expectTold(["offer"], () => act(action, id));
    });

    test("is sent when it is completed or withdrawn, over the API and on pages", async () => {
      const [first, second] = [await create(), await create()];
      for (const id of [first, second]) await act("apply", id);
      const complete = `/offer/${first}/complete?api-version=1.0`;
      await expectTold(["offer"], () => other.call("POST", complete, { key, json: ["worker_amal"] }));
      await expectTold(["offer"], () => other.call("GET", `/offer/${first}/withdraw`, { key }));
      await expectTold(["offer"], () => hanaThere.send(`/offers/${second}/complete`, { worker: "worker_amal" }));
      await expectTold(["offer"], () => hanaThere.send(`/offers/${second}/withdraw`));
    });
  });

  describe("an endpoint", () => {
    test("is sent when it is saved, when suggestions are switched, and when its secret is rotated", async () => {
      await expectTold(["endpoint"], () => callAs("PUT", "/portal/profile", profile()));
      const { secret: _, ...turned } = profile();
      await expectTold(["endpoint"], () => callAs("PUT", "/portal/profile", turned));
      await expectTold(["endpoint"], () => callAs("POST", "/portal/profile/rotation", { secret: `${secret}-2` }));
    });

    test("is sent when it is disabled, with the mail about it, and when it is enabled", async () => {
      const id = await create();
      await quiet();
      await expectTold(["endpoint", "delivery", "mail"], async () => {
        receiver.answer = answerWith(410);
        await act("apply", id);
      });
      receiver.answer = well;
      await quiet();
      await expectTold(["endpoint", "delivery"], () => callAs("POST", "/portal/profile/enable"));
    });
  });

  describe("a delivery", () => {
    test("is sent when it is recorded: of a response, and of a contact", async () => {
      const id = await create();
      await quiet();
      await beforeAnyAttempt(() => expectTold(["delivery"], () => act("apply", id)));
      await quiet();
      await beforeAnyAttempt(() => expectTold(["delivery"], addContact));
    });

    test("is sent with each attempt", async () => {
      await quiet();
      const reader = await follow(hana);
      await beforeAnyAttempt(async () => {
        await addContact();
        await eventually("it is told that it was recorded", () => reader.told("delivery") > 0);
        await setTimeout(200);
      });
      const recorded = reader.told("delivery");
      await eventually("its attempt is told", () => reader.told("delivery") > recorded);
      reader.disconnect();
    });

    test("is sent when it is redelivered, alone or with many, over the API and on pages", async () => {
      await quiet();
      const since = new Date().toISOString();
      await addContact();
      const again = (redeliver: (id: string) => Promise<unknown>): Promise<void> =>
        beforeAnyAttempt(async () => {
          const { deliveries } = JSON.parse(await callAs("GET", "/portal/deliveries"));
          await expectTold(["delivery"], () => redeliver(deliveries[0].id));
        });
      await quiet();
      await again((id) => callAs("POST", `/portal/deliveries/${id}/redeliver`));
      await quiet();
      await again((id) => hanaThere.send(`/deliveries/${id}/redeliver`));
      await quiet();
      await again(() => callAs("POST", "/portal/deliveries/redeliver", { since, state: "acknowledged" }));
      await quiet();
      const form = { since: since.replace("Z", ""), which: "acknowledged" };
      await again(() => hanaThere.send("/deliveries/redeliver", form));
    });
  });

  describe("mail", () => {
    test("is sent to its recipient only", async () => {
      await quiet();
      const reader = await follow(hana);
      for (const notifyEmailAddress of ["else@example.com", boAddress, "Hana@harbour-hotels.example"])
        await create({ notifyEmailAddress });
      await eventually("the mail is told", () => reader.told("mail") > 0);
      await setTimeout(500);
      expect(reader.told("mail")).toBe(1);
      reader.disconnect();
    });

    test("is sent when it invites a person of the platform", async () => {
      await callAs("PUT", "/portal/profile", profile());
      await callAs("POST", "/portal/suggestions/search", { organisationIds: ["org_harbour"] });
      const json = { organisationId: "org_harbour", people };
      await expectTold(["mail"], () => callAs("POST", "/portal/invitations", json), bo);
    });
  });

  test("nothing is sent of another organisation", async () => {
    await quiet();
    const [his, hers] = [await follow(bo), await follow(hana)];
    await act("apply", await create());
    await eventually("she is told", () => hers.told("delivery") > 0);
    await setTimeout(1_000);
    expect(his.events).toEqual([]);
    his.disconnect();
    hers.disconnect();
  });

  test("a worker hears of a notification at once, and once", async () => {
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

describe.each(stores)("the stream of what changes on $title", ({ createPlace }) => {
  let place: StorePlace;
  let platform: PlatformUnderTest;
  let cookie: string;

  beforeAll(async () => {
    place = await createPlace();
    platform = await openPlatform(place);
    const hana = openVisitor(platform.address);
    await hana.signIn(hanaAddress);
    cookie = hana.cookie();
  });
  afterAll(async () => {
    await platform.close();
    await place.remove();
  });

  /** The stream that a page names, from the moment the page was made. */
  async function streamOf(Cookie: string): Promise<string> {
    const { text } = await openVisitor(platform.address).get("/offers", { Cookie });
    return platform.address + (/data-live-stream="([^"]+)"/.exec(text)?.[1] ?? "");
  }
  const create = async (): Promise<void> => {
    const json = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };
    expect((await platform.call("POST", "/offer", { key: "demo-key-harbour", json })).status).toBe(201);
  };

  test("misses nothing between the page and its stream", async () => {
    const address = await streamOf(cookie);
    await create();
    const reader = await readLive(address, cookie);
    await eventually("what came before is told", () => reader.events.length > 0);
    expect(reader.events).toMatchObject([{ type: "changed", topics: ["offer"] }]);
    reader.disconnect();
  });

  test("misses nothing while the connection is lost, and repeats nothing", async () => {
    const stream = await streamOf(cookie);
    const first = await readLive(stream, cookie);
    await create();
    await eventually("it is told", () => first.told("offer") === 1);
    first.disconnect();
    const resume = () => readLive(stream, cookie, first.events.at(-1)?.id);

    const nothing = await resume();
    await setTimeout(500);
    expect(nothing.events).toEqual([]);
    nothing.disconnect();

    await create();
    await create();
    const again = await resume();
    await eventually("what happened meanwhile is told", () => again.events.length > 0);
    await create();
    await eventually("what came after is told", () => again.events.length > 1);
    expect(again.events).toMatchObject([
      { type: "changed", topics: ["offer"] },
      { type: "changed", topics: ["offer"] },
    ]);
    again.disconnect();
  });

  test.each([
    ["nonsense", () => "nonsense"],
    ["nothing", () => ""],
    ["a position in another process", () => "0123456789abcdef-0"],
    ["a position that is yet to come", (own: string) => own.replace(/\d+$/, "999999")],
  ])("says after %s that anything may be missed", async (_, positionOf) => {
    const stream = await streamOf(cookie);
    const own = new URL(stream).searchParams.get("since") ?? "";
    const reader = await readLive(stream, cookie, positionOf(own));
    await eventually("it says so", () => reader.events.length > 0);
    expect(reader.events).toMatchObject([{ type: "missed" }]);
    // From there on it goes on.
    const again = await readLive(stream, cookie, reader.events[0]?.id);
    await create();
    await eventually("what changes is told", () => again.events.length > 0);
    expect(again.events).toMatchObject([{ type: "changed", topics: ["offer"] }]);
    for (const each of [reader, again]) each.disconnect();
  });

  test("ends with the session", async () => {
    const ada = openVisitor(platform.address);
    await ada.signIn("ada@crew-agency.example");
    const reader = await readLive(await streamOf(ada.cookie()), ada.cookie());
    await ada.send("/sign-out");
    await reader.ended;
  });
});

describe.each(stores.filter(({ title }) => isShared(title)))(
  "a page when processes cannot hear each other on $title",
  ({ createPlace }) => {
    let place: StorePlace;
    let platform: PlatformUnderTest;
    beforeAll(async () => {
      place = await createPlace();
      platform = await openPlatform(place);
    });
    afterAll(async () => {
      await platform.close();
      await place.remove();
    });

    test("is notified afterwards that it may have missed changes", async () => {
      const hana = openVisitor(platform.address);
      await hana.signIn(hanaAddress);
      const { text } = await hana.get("/offers");
      const address = platform.address + (/data-live-stream="([^"]+)"/.exec(text)?.[1] ?? "");
      const reader = await readLive(address, hana.cookie());
      const store = await openStore(place.options);
      const { rows } = await store.execute(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'offers-platform signals'`,
      );
      expect(rows).toHaveLength(1);
      await eventually("it says so", () => reader.events.some(({ type }) => type === "missed"));
      reader.disconnect();
      await store.close();
    });
  },
);
