import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "./eventually.ts";
import { openVisitor, type PageVisitor } from "./page-visitor.ts";
import { openPlatform, type PlatformUnderTest } from "./platform-under-test.ts";
import { answerWith, openReceiver, type Receiver } from "./receiver.ts";
import { type StorePlace, storesUnderTest } from "./stores.ts";

const [store] = await storesUnderTest();
let place: StorePlace;
let platform: PlatformUnderTest;
let receiver: Receiver;
let hana: PageVisitor;

beforeAll(async () => {
  if (store === undefined) throw new Error("there is always a store");
  place = await store.createPlace();
  platform = await openPlatform(place);
  receiver = await openReceiver();
  hana = openVisitor(platform.address);
  await hana.signIn("hana@harbour-hotels.example");
});
afterAll(async () => {
  await platform.close();
  await receiver.close();
  await place.remove();
});
beforeEach(() => {
  receiver.answer = answerWith(200);
});

const secret = "9a4f3c52-7c1e-4b57-9e0c-2f4f6f0f6a11";
const save = (changes: Record<string, string> = {}) =>
  hana.send("/company", {
    baseAddress: `${receiver.baseAddress}/hooks`,
    secret,
    scheme: "timestampDigest",
    ...changes,
  });

describe("the company profile", () => {
  test("says what both checks were answered and how long it took, and is saved", async () => {
    const { status, text } = await save({ suggestsContacts: "yes" });
    expect(status).toBe(200);
    expect(text).toContain("Both checks were answered with 200. The profile is saved.");
    for (const path of ["/test", "/test/auth"]) expect(text).toContain(`GET ${path} <span`);
    expect(text.match(/\d+ ms/g)).toHaveLength(2);
    const page = (await hana.get("/company")).text;
    expect(page).toContain(`value="${receiver.baseAddress}/hooks"`);
    expect(page).toMatch(/name="suggestsContacts" value="yes" checked/);
    expect(page).toContain(">Well</span>");
  });

  test("is not saved when a check fails, and keeps what was typed but never the secret", async () => {
    await save();
    receiver.answer = answerWith(401);
    const { status, text } = await save({ baseAddress: `${receiver.baseAddress}/elsewhere` });
    expect(status).toBe(422);
    expect(text).toContain("Nothing was saved. Both checks must be answered with 200.");
    expect(text).toContain("the endpoint does not accept the secret");
    expect(text).toContain(`value="${receiver.baseAddress}/elsewhere"`);
    expect(text).not.toContain(secret);
    expect((await hana.get("/company")).text).toContain(`<dd>${receiver.baseAddress}/hooks</dd>`);
  });

  test("says beside each field what is wrong", async () => {
    const { status, text } = await save({ secret: "short", baseAddress: "" });
    expect(status).toBe(422);
    expect(text).toMatch(/id="secret-error".*at least 16 characters/);
    expect(text).toContain('id="baseAddress-error"');
  });

  test("never shows the secret, nor logs it", async () => {
    await save();
    expect((await hana.get("/company")).text).not.toContain(secret);
    expect(platform.logLines.join()).not.toContain(secret);
  });
});

/** A worker adds a contact: an event for the endpoint. */
async function addContact(workerId = "worker_amal"): Promise<void> {
  const token = await platform.signInWorker(workerId);
  const json = { organisationId: "org_harbour" };
  expect((await platform.call("POST", "/worker-app/contacts", { token, json })).status).toBe(204);
}

/** The path of the latest delivery once its page says so. */
async function latest(word: string): Promise<string> {
  let path = "";
  await eventually(`the latest delivery is ${word}`, async () => {
    const { text } = await hana.get("/deliveries");
    path = /href="(\/deliveries\/[\w-]+)"/.exec(text)?.[1] ?? "";
    return path !== "" && (await hana.get(path)).text.includes(`>${word}</span>`);
  });
  return path;
}

describe("deliveries", () => {
  test("show each attempt with request and answer", async () => {
    await save();
    receiver.answer = answerWith(503);
    await addContact("worker_cleo");
    const { text } = await hana.get(await latest("Given up"));
    expect(text).toContain("Cleo Martin added a contact here");
    expect(text).toContain("GET /contact/new/worker_cleo");
    expect(text.match(/answered 503; only 200 acknowledges/g)).toHaveLength(3);
    expect(text).toMatch(/No\. 3: /);
  });

  test("that were given up are delivered again", async () => {
    await save();
    receiver.answer = answerWith(503);
    await addContact();
    const path = await latest("Given up");
    receiver.answer = answerWith(200);
    expect(await hana.send(`${path}/redeliver`)).toMatchObject({ status: 303, location: path });
    expect((await hana.get(path)).text).toContain("It is delivered again.");
    await latest("Acknowledged");
  });

  test("are filtered by their state", async () => {
    await save();
    await addContact("worker_dana");
    const path = await latest("Acknowledged");
    const shown = async (state: string) => (await hana.get(`/deliveries?state=${state}`)).text;
    expect(await shown("acknowledged")).toContain(`href="${path}"`);
    expect(await shown("dead")).not.toContain(`href="${path}"`);
    expect(await shown("held")).toContain("None of these.");
    expect(await shown("no-such-state")).toContain(`href="${path}"`);
  });

  test("are measured: as a chart, in words and as a table", async () => {
    await save();
    await addContact();
    await latest("Acknowledged");
    for (const range of ["hour", "day", "week"]) {
      const { text } = await hana.get(`/deliveries?range=${range}`);
      expect(text).toMatch(/\d+ % failed: \d+ of \d+ attempts/);
      expect(text).toMatch(/half within \d[\d.]* m?s, the slowest after/);
      expect(text).toMatch(/<svg[^>]+role="img" aria-label="Attempts in/);
      expect(text).toMatch(/<rect [^>]+class="ok"/);
      expect(text).toContain("The same as a table");
    }
  });
});

describe("the mailbox", () => {
  test("shows mail, whatever is in it", async () => {
    const json = {
      createdByUserId: "user_hana",
      title: "<script>alert(1)</script>",
      workerIds: ["worker_amal"],
      notifyEmailAddress: "hana@harbour-hotels.example",
    };
    await platform.call("POST", "/offer", { key: "demo-key-harbour", json });
    const { text } = await hana.get("/mailbox");
    expect(text).toContain("Offer created: &lt;script&gt;alert(1)&lt;/script&gt;");
    expect(text).not.toContain("<script>alert");
  });
});
