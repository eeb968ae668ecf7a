import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { answerWith, openReceiver, type Receiver } from "../support/receiver.ts";
import { anyStore, type StorePlace } from "../support/stores.ts";
import { openVisitor, type PageVisitor } from "./page-visitor.ts";

const [store] = await anyStore();
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
    expect(text.match(/responded with 200 <span class="fine">in \d+ ms/g)).toHaveLength(2);
    expect(text).toMatch(/Request.*authorization: .*Response.*200/is);
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
    expect(text).toContain("Nothing was changed. Your endpoint must respond to both checks with 200.");
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

  test("takes another secret that the endpoint knows, and no other", async () => {
    await save();
    receiver.answer = answerWith(401);
    const refused = await hana.send("/company/rotation", { secret: "another-secret-of-32-characters!" });
    expect([refused.status, refused.text.includes("Nothing was changed.")]).toEqual([422, true]);
    receiver.answer = answerWith(200);
    const same = await hana.send("/company/rotation", { secret });
    expect(same.status).toBe(422);
    expect(same.text).toMatch(/id="new-secret-error".*this is the current secret/);
    const done = await hana.send("/company/rotation", { secret: "another-secret-of-32-characters!" });
    expect([done.status, done.text.includes("The new secret is in use.")]).toEqual([200, true]);
    const page = (await hana.get("/company")).text;
    expect(page).toContain("counts until");
    expect(page).not.toContain("another-secret");
    expect(await hana.get("/company/rotation")).toMatchObject({ status: 303, location: "/company" });
  });

  test("offers no other secret before the first", async () => {
    const bo = openVisitor(platform.address);
    await bo.signIn("bo@bistro-group.example");
    expect((await bo.get("/company")).text).not.toContain('action="/company/rotation"');
    const refused = await bo.send("/company/rotation", { secret: "another-secret-of-32-characters!" });
    expect([refused.status, refused.text.includes("Save the profile with a base address")]).toEqual([422, true]);
    expect((await bo.send("/company/enable")).status).toBe(422);
  });

  test("says that an endpoint which is gone is switched off, and switches it on again when it passes", async () => {
    await save();
    receiver.answer = answerWith(410);
    const token = await platform.signInWorker("worker_amal");
    await platform.call("POST", "/worker-app/contacts", { token, json: { organisationId: "org_harbour" } });
    await eventually("it is switched off", async () =>
      (await hana.get("/company")).text.includes(">Switched off</span>"),
    );
    const page = (await hana.get("/company")).text;
    expect(page).toContain("It answered 410");
    const held = (await hana.get("/deliveries?state=held")).text;
    expect(held).toContain(">Held</span>");
    expect((await hana.send("/company/enable")).status).toBe(422);
    receiver.answer = answerWith(200);
    const enabled = await hana.send("/company/enable");
    expect([enabled.status, enabled.text.includes("The endpoint is switched on.")]).toEqual([200, true]);
    await eventually("it is well", async () => (await hana.get("/company")).text.includes(">Well</span>"));
  });
});
