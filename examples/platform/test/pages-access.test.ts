import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "./eventually.ts";
import { openVisitor, type PageVisitor } from "./page-visitor.ts";
import { openPlatform, type PlatformUnderTest } from "./platform-under-test.ts";
import { openReceiver, type Receiver } from "./receiver.ts";
import { type StorePlace, storesUnderTest } from "./stores.ts";

const [store] = await storesUnderTest();
let place: StorePlace;
let platform: PlatformUnderTest;
let receiver: Receiver;
let bo: PageVisitor;
/** Of Harbour Hotels. */
let offer: string;
let delivery: string;

beforeAll(async () => {
  if (store === undefined) throw new Error("there is always a store");
  place = await store.createPlace();
  platform = await openPlatform(place);
  receiver = await openReceiver();
  const token = await platform.signInPerson("hana@harbour-hotels.example");
  const profile = { baseAddress: receiver.baseAddress, secret: "x".repeat(20), suggestsContacts: false };
  await platform.call("PUT", "/portal/profile", { token, json: profile });
  const creation = { createdByUserId: "user_hana", title: "Harbour's alone", workerIds: ["worker_amal"] };
  const created = await platform.call("POST", "/offer", { key: "demo-key-harbour", json: creation });
  offer = created.json<{ id: string }>().id;
  const worker = await platform.signInWorker("worker_amal");
  await platform.call("POST", `/worker-app/offers/${offer}/apply`, { token: worker });
  await eventually("the delivery is there", async () => {
    const answer = await platform.call("GET", "/portal/deliveries", { token });
    delivery = answer.json<{ deliveries: { id: string }[] }>().deliveries[0]?.id ?? "";
    return delivery !== "";
  });
  bo = openVisitor(platform.address);
  await bo.signIn("bo@bistro-group.example");
});
afterAll(async () => {
  await platform.close();
  await receiver.close();
  await place.remove();
});

const fill = (path: string): string => path.replace("{offer}", offer).replace("{delivery}", delivery);

const shown = [
  "/",
  "/offers",
  "/offers/new",
  "/offers/{offer}",
  "/offers/{offer}/withdraw",
  "/deliveries",
  "/deliveries/{delivery}",
  "/company",
  "/mailbox",
] as const;

/** Shown after a form was refused; loaded again, they lead to the page with the form. */
const leading = ["/offers/{offer}/complete", "/company/rotation", "/company/enable"] as const;

const sent = [
  "/offers/new",
  "/offers/{offer}/complete",
  "/offers/{offer}/withdraw",
  "/deliveries/redeliver",
  "/deliveries/{delivery}/redeliver",
  "/company",
  "/company/rotation",
  "/company/enable",
] as const;

describe("somebody signed out", () => {
  test.each([...shown, ...leading])("is led from %s to the sign-in", async (path) => {
    const answer = await openVisitor(platform.address).get(fill(path));
    expect(answer).toMatchObject({
      status: 303,
      location: expect.stringMatching(/^\/sign-in/),
      text: expect.not.stringContaining("Harbour"),
    });
  });

  test.each(sent)("does nothing with a form for %s", async (path) => {
    const answer = await openVisitor(platform.address).send(fill(path), { worker: "worker_amal" });
    expect(answer.status).toBe(401);
    expect(answer.text).not.toContain("Harbour");
  });

  test("hears of no change", async () => {
    const answer = await openVisitor(platform.address).get("/live", { Accept: "text/event-stream" });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      401,
      "application/problem+json; charset=utf-8",
    ]);
  });

  test("is nobody with the cookie of a worker", async () => {
    const amal = openVisitor(platform.address, "/app/sign-in");
    await amal.signIn("worker_amal");
    const [, value = ""] = amal.cookie().split("=");
    const Cookie = `offers-portal=${value}`;
    expect((await openVisitor(platform.address).get("/offers", { Cookie })).status).toBe(303);
  });
});

describe("another organisation's person", () => {
  const foreign = (path: string): boolean => path.includes("{");

  test.each(shown.filter(foreign))("finds nothing at %s", async (path) => {
    const answer = await bo.get(fill(path));
    expect(answer.status).toBe(404);
    expect(answer.text).not.toContain("Harbour");
  });

  test.each(sent.filter(foreign))("does nothing at %s", async (path) => {
    const answer = await bo.send(fill(path), { worker: "worker_amal" });
    expect(answer.status).toBe(404);
    expect(answer.text).not.toContain("Harbour");
  });

  test("sees nothing of it in any list", async () => {
    for (const path of ["/offers", "/deliveries", "/company"])
      expect((await bo.get(path)).text).not.toMatch(/Harbour|Amal/);
  });
});

describe("a forged form", () => {
  test.each(sent)("does nothing at %s", async (path) => {
    for (const options of [{ formToken: "" }, { headers: { Origin: "https://evil.example" } }]) {
      const answer = await bo.send(fill(path), { worker: "worker_amal" }, options);
      expect(answer.status).toBe(403);
    }
  });

  test("changes nothing even with a session", async () => {
    const hana = openVisitor(platform.address);
    await hana.signIn("hana@harbour-hotels.example");
    const headers = { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" };
    expect((await hana.send(fill("/offers/{offer}/withdraw"), {}, { headers })).status).toBe(403);
    const read = await platform.call("GET", `/offer/${offer}`, { key: "demo-key-harbour" });
    expect(read.json()).toMatchObject({ widthdrawn: false });
  });
});

test("a method that a page has not is 405 and says which it has", async () => {
  const answer = await bo.send("/offers");
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});
