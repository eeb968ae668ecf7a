import { beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { respondWith } from "../support/receiver.ts";
import { usePageClient, usePlatform, useReceiver } from "../support/use-opened.ts";
import { saveCompany } from "./page-client.ts";

const platform = usePlatform();
const hana = usePageClient(platform, "hana@harbour-hotels.example");
const receiver = useReceiver();

beforeEach(() => {
  receiver.respond = respondWith(200);
});

const save = (changes?: Record<string, string>) => saveCompany(hana, receiver, changes);

/** Adds the organisation as a worker's contact. The organisation's endpoint then receives an event. */
async function addContact(workerId = "worker_amal"): Promise<void> {
  const token = await platform.signInWorker(workerId);
  const json = { organisationId: "org_harbour" };
  expect((await platform.call("POST", "/worker-app/contacts", { token, json })).status).toBe(204);
}

/** Waits until the latest delivery's page shows the state. @returns the page's path */
async function waitForLatest(stateLabel: string): Promise<string> {
  let path = "";
  await eventually(`the latest delivery is ${stateLabel}`, async () => {
    const { text } = await hana.get("/deliveries");
    path = /href="(\/deliveries\/[\w-]+)"/.exec(text)?.[1] ?? "";
    return path !== "" && (await hana.get(path)).text.includes(`>${stateLabel}</span>`);
  });
  return path;
}

describe("deliveries", () => {
  test("a delivery page shows each attempt with its request and response", async () => {
    await save();
    receiver.respond = respondWith(503);
    await addContact("worker_cleo");
    const { text } = await hana.get(await waitForLatest("Failed"));
    expect(text).toContain("Cleo Martin added your organisation as a contact");
    expect(text).toContain("GET /contact/new/worker_cleo");
    expect(text.match(/503; only 200 acknowledges/g)).toHaveLength(3);
    expect(text).toMatch(/No\. 3: /);
  });

  test("a contact that is not implemented is shown as such, and can be redelivered [D-152]", async () => {
    await save({ baseAddress: `${receiver.baseAddress}/without-contacts` });
    receiver.respond = respondWith(404);
    await addContact("worker_ben");
    const path = await waitForLatest("Not implemented");
    const list = (await hana.get("/deliveries?state=not_implemented")).text;
    expect(list).toContain("404; the endpoint does not implement this optional event");
    expect((await hana.get("/deliveries/redeliver?state=not_implemented")).text).toContain("Redeliver 1 event?");
    receiver.respond = respondWith(200);
    await hana.send(`${path}/redeliver`);
    await waitForLatest("Acknowledged");
  });

  test("a failed delivery can be redelivered", async () => {
    await save();
    receiver.respond = respondWith(503);
    await addContact();
    const path = await waitForLatest("Failed");
    receiver.respond = respondWith(200);
    expect(await hana.send(`${path}/redeliver`)).toMatchObject({ status: 303, location: path });
    expect((await hana.get(path)).text).toContain("The event is being redelivered.");
    await waitForLatest("Acknowledged");
    const { text } = await hana.get(path);
    expect(text).toContain("<dt>Attempts</dt><dd>4</dd>");
    expect(text).toContain("<h3>No. 4: 200</h3>");
    expect((await hana.get("/deliveries")).text).toContain("No. 4: 200");
  });

  test("an acknowledged delivery is redelivered as a new delivery", async () => {
    await save();
    await addContact("worker_ben");
    const path = await waitForLatest("Acknowledged");
    const { status, location } = await hana.send(`${path}/redeliver`);
    expect([status, location === path]).toEqual([303, false]);
    expect((await hana.get(location ?? "")).text).toContain(`<a href="${path}">an earlier delivery</a>`);
    expect((await hana.send(`${path}/redeliver`)).location).toBe(path);
    expect((await hana.get(path)).text).toContain("The delivery was already redelivered.");
  });

  test("several failed deliveries can be redelivered together", async () => {
    await save();
    receiver.respond = respondWith(503);
    for (const worker of ["worker_amal", "worker_ben"]) await addContact(worker);
    await waitForLatest("Failed");
    await eventually("both failed", async () =>
      (await hana.get("/deliveries?state=pending")).text.includes("No matching events."),
    );
    await save();
    receiver.respond = respondWith(200);
    const path = "/deliveries/redeliver?state=dead";
    const last = /name="last" value="(\d+)"/.exec((await hana.get(path)).text)?.[1] ?? "";
    expect(await hana.send(path, { which: "all", last })).toMatchObject({
      status: 303,
      location: "/deliveries?state=dead",
    });
    expect((await hana.get("/deliveries")).text).toMatch(/[2-9] events are being redelivered\./);
    await eventually("no failed delivery is left", async () =>
      (await hana.get("/deliveries?state=dead")).text.includes("No matching events."),
    );
  });

  test("deliveries can be filtered by state", async () => {
    await save();
    await addContact("worker_dana");
    const path = await waitForLatest("Acknowledged");
    const readList = async (state: string) => (await hana.get(`/deliveries?state=${state}`)).text;
    expect(await readList("acknowledged")).toContain(`href="${path}"`);
    expect(await readList("dead")).not.toContain(`href="${path}"`);
    expect(await readList("held")).toContain("No matching events.");
    expect(await readList("no-such-state")).toContain(`href="${path}"`);
  });

  test("the deliveries page summarises attempts as a chart, in words and as a table", async () => {
    await save();
    await addContact();
    await waitForLatest("Acknowledged");
    for (const range of ["hour", "day", "week"]) {
      const { text } = await hana.get(`/deliveries?range=${range}`);
      expect(text).toMatch(/\d+ % failed: \d+ of \d+ attempts/);
      expect(text).toMatch(/half within \d[\d.]* m?s, the slowest after/);
      expect(text).toMatch(/<svg[^>]+role="img" aria-label="Attempts in/);
      expect(text).toMatch(/<rect [^>]+class="ok"/);
      expect(text).toContain("Show as a table");
    }
  });

  test("deliveries can be filtered by event, and by the last attempt's status and error [D-124]", async () => {
    await save();
    await addContact("worker_dana");
    const path = await waitForLatest("Acknowledged");
    expect((await hana.get("/deliveries?status=200&state=acknowledged")).text).toContain(`href="${path}"`);
    receiver.respond = respondWith(410);
    await addContact("worker_cleo");
    await waitForLatest("Failed");
    for (const query of ["status=410", "error=not_acknowledged", "type=workerAddedContact", "status=410&state=dead"])
      expect((await hana.get(`/deliveries?${query}`)).text).toContain("Cleo Martin");
    for (const query of [
      "status=503",
      "error=timeout",
      "type=workerOfferResponse",
      "status=410&type=workerOfferResponse",
    ]) {
      const { text } = await hana.get(`/deliveries?${query}`);
      expect(text).toContain("No matching events.");
      expect(text).not.toContain("Cleo Martin");
    }
    // Unknown values are ignored.
    expect((await hana.get("/deliveries?status=9&error=x&type=y")).text).toContain("Cleo Martin");
  });

  test('delivery pages show "applied", like offer pages, although the webhook sends "accepted"', async () => {
    await save();
    const json = { createdByUserId: "user_hana", title: "Bar on Friday", workerIds: ["worker_amal"] };
    const offer = (await platform.call("POST", "/offer", { key: "demo-key-harbour", json })).json<{ id: string }>();
    const token = await platform.signInWorker("worker_amal");
    await platform.call("POST", `/worker-app/offers/${offer.id}/apply`, { token });
    await eventually("the delivery is listed", async () =>
      (await hana.get("/deliveries")).text.includes("Amal Haddad applied for “Bar on Friday”"),
    );
    const { text } = await hana.get(await waitForLatest("Acknowledged"));
    expect(text).toContain("&quot;response&quot;: &quot;accepted&quot;");
  });
});

describe("the mailbox", () => {
  test("the mailbox escapes HTML in an email", async () => {
    const json = {
      createdByUserId: "user_hana",
      title: `Fish & "Chips" <script>alert(1)</script>`,
      workerIds: ["worker_amal"],
      notifyEmailAddress: "hana@harbour-hotels.example",
    };
    await platform.call("POST", "/offer", { key: "demo-key-harbour", json });
    const { text } = await hana.get("/mailbox");
    expect(text).toContain("Offer created: Fish &amp; &quot;Chips&quot; script alert(1) /script");
    expect(text).not.toContain("<script>alert");
  });
});
