import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readChanges } from "../store/read-changes.ts";
import { eventually } from "../support/eventually.ts";
import { openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { answerWith, openReceiver, type Receiver } from "../support/receiver.ts";
import { type StorePlace, storesUnderTest } from "../support/stores.ts";
import { openVisitor } from "./page-visitor.ts";

const secret = "9a4f3c52-7c1e-4b57-9e0c-2f4f6f0f6a11";

describe.each(await storesUnderTest())("what changes, live, on $title", ({ createPlace }) => {
  let place: StorePlace;
  let platform: PlatformUnderTest;
  let receiver: Receiver;
  let cookie: string;
  let stream: string;

  beforeAll(async () => {
    place = await createPlace();
    platform = await openPlatform(place);
    receiver = await openReceiver(answerWith(200));
    const hana = openVisitor(platform.address);
    await hana.signIn("hana@harbour-hotels.example");
    cookie = hana.cookie();
    stream = await streamOf(cookie);
  });
  afterAll(async () => {
    await platform.close();
    await receiver.close();
    await place.remove();
  });

  /** The stream that a page names, from the moment the page was made. */
  async function streamOf(Cookie: string): Promise<string> {
    const { text } = await openVisitor(platform.address).get("/offers", { Cookie });
    return platform.address + (/data-live-stream="([^"]+)"/.exec(text)?.[1] ?? "");
  }

  const create = async (workerIds = ["worker_amal"]): Promise<string> => {
    const json = { createdByUserId: "user_hana", title: "Bar", workerIds };
    return (await platform.call("POST", "/offer", { key: "demo-key-harbour", json })).json<{ id: string }>().id;
  };
  const apply = async (id: string): Promise<void> => {
    const token = await platform.signInWorker("worker_amal");
    await platform.call("POST", `/worker-app/offers/${id}/apply`, { token });
  };

  test("tells which offer, with every answer, and what became of it", async () => {
    const reader = await readChanges(await streamOf(cookie), cookie);
    const id = await create();
    const told = () => reader.events.filter((event) => event.type === "offer" && event.id === id).length;
    await eventually("the creation is told", () => told() === 1);
    await apply(id);
    await eventually("the answer is told", () => told() === 2);
    await platform.call("GET", `/offer/${id}/withdraw`, { key: "demo-key-harbour" });
    await eventually("the withdrawal is told", () => told() === 3);
    reader.disconnect();
  });

  test("tells each step of a delivery, and the endpoint", async () => {
    const reader = await readChanges(await streamOf(cookie), cookie);
    const token = await platform.signInPerson("hana@harbour-hotels.example");
    const json = { baseAddress: receiver.baseAddress, secret, suggestsContacts: false };
    expect((await platform.call("PUT", "/portal/profile", { token, json })).status).toBe(200);
    await eventually("the endpoint is told", () => reader.events.some(({ type }) => type === "endpoint"));
    await apply(await create());
    await eventually("record and acknowledgement are told", () => {
      const deliveries = reader.events.filter(({ type }) => type === "delivery");
      return deliveries.length >= 2 && new Set(deliveries.map(({ id }) => id)).size === 1;
    });
    reader.disconnect();
  });

  test("tells mail to the person", async () => {
    const reader = await readChanges(await streamOf(cookie), cookie);
    const json = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };
    for (const notifyEmailAddress of ["else@example.com", "Hana@harbour-hotels.example"])
      await platform.call("POST", "/offer", { key: "demo-key-harbour", json: { ...json, notifyEmailAddress } });
    await eventually("the mail is told", () => reader.events.some(({ type }) => type === "mail"));
    expect(reader.events.filter(({ type }) => type === "mail")).toHaveLength(1);
    reader.disconnect();
  });

  test("tells nothing of another organisation", async () => {
    const bo = openVisitor(platform.address);
    await bo.signIn("bo@bistro-group.example");
    const [his, hers] = await Promise.all(
      [bo.cookie(), cookie].map(async (who) => readChanges(await streamOf(who), who)),
    );
    await create();
    await eventually("she is told", () => (hers?.events.length ?? 0) > 0);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(his?.events).toEqual([]);
    his?.disconnect();
    hers?.disconnect();
  });

  test("misses nothing between the page and its stream", async () => {
    const address = await streamOf(cookie);
    const id = await create();
    const reader = await readChanges(address, cookie);
    await eventually("what came before is told", () => reader.events.some((event) => event.id === id));
    reader.disconnect();
  });

  test("misses nothing while the connection is lost, and repeats nothing", async () => {
    const first = await readChanges(await streamOf(cookie), cookie);
    const before = await create();
    await eventually("it is told", () => first.events.some(({ id }) => id === before));
    first.disconnect();
    const meanwhile = [await create(), await create()];
    const again = await readChanges(stream, cookie, first.events.at(-1)?.lastEventId);
    const after = await create();
    await eventually("what came after is told", () => again.events.some(({ id }) => id === after));
    const told = again.events.filter(({ type }) => type === "offer").map(({ id }) => id);
    expect(told.toSorted()).toEqual([...meanwhile, after].toSorted());
    again.disconnect();
  });

  test.each(["nonsense", "0:0:@1", "5:3:@1", "1:1:@1", ""])(
    "says that anything may be missed after %j",
    async (lastEventId) => {
      const reader = await readChanges(stream, cookie, lastEventId);
      await eventually("it says so", () => reader.events.some(({ type }) => type === "missed"));
      reader.disconnect();
    },
  );

  test("ends with the session", async () => {
    const ada = openVisitor(platform.address);
    await ada.signIn("ada@crew-agency.example");
    const reader = await readChanges(await streamOf(ada.cookie()), ada.cookie());
    await ada.send("/sign-out");
    await reader.ended;
  });
});
