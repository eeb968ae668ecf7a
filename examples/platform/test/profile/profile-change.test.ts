import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { openReceiver, type Receiver, type Respond, respondWith } from "../support/receiver.ts";
import { anyStore, type TestDatabase } from "../support/stores/stores.ts";

interface ProfileHealth {
  health: { failingSince: string | null; disabledBecause: string | null; held: number };
}

describe.each(await anyStore())("changed profiles on $title", ({ createDatabase }) => {
  let database: TestDatabase;
  let platform: PlatformUnderTest;
  let oldReceiver: Receiver;
  let newReceiver: Receiver;
  let token: string;

  beforeEach(async () => {
    database = await createDatabase();
    platform = await openPlatform(database);
    [oldReceiver, newReceiver] = [await openReceiver(), await openReceiver()];
    token = await platform.signInPerson("hana@harbour-hotels.example");
    await save(oldReceiver);
  });
  afterEach(async () => {
    for (const receiver of [oldReceiver, newReceiver]) await receiver.close();
    await platform.close();
    await database.remove();
  });

  const save = async ({ baseAddress }: Receiver) => {
    const profile = { baseAddress, secret: "a secret of some length", suggestsContacts: false };
    expect((await platform.call("PUT", "/portal/profile", { token, json: profile })).status).toBe(200);
  };
  const readHealth = async () =>
    (await platform.call("GET", "/portal/profile", { token })).json<ProfileHealth>().health;
  const listReceivedIds = ({ requests }: Receiver) =>
    requests.map(({ headers }) => headers["offers-delivery-id"]).filter(Boolean);
  const createOfferAndApply = async () => {
    const workerToken = await platform.signInWorker("worker_amal");
    const json = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };
    const { id } = (await platform.call("POST", "/offer", { key: "demo-key-harbour", json })).json<{ id: string }>();
    await platform.call("POST", `/worker-app/offers/${id}/apply`, { token: workerToken });
  };

  test.each([410, 503])("a late %i from the old address does not affect the new address [D-73]", async (status) => {
    const delayedResponses: (() => void)[] = [];
    const delayResponse: Respond = (request, response) =>
      void delayedResponses.push(() => respondWith(status)(request, response));
    oldReceiver.respond = delayResponse;
    await createOfferAndApply();
    await eventually("the old address is called", () => delayedResponses.length === 1);
    await save(newReceiver);
    for (const respond of delayedResponses) respond();
    await eventually("the new address is called", () => listReceivedIds(newReceiver).length === 1);
    expect(listReceivedIds(newReceiver)).toEqual(listReceivedIds(oldReceiver));
    expect(await readHealth()).toMatchObject({ failingSince: null, disabledBecause: null, held: 0 });
  });

  test("a new address that does not implement contacts is not blamed for what the old one implemented [D-152]", async () => {
    const workerToken = await platform.signInWorker("worker_amal");
    const addContact = () =>
      platform.call("POST", "/worker-app/contacts", { token: workerToken, json: { organisationId: "org_harbour" } });
    const waitForOutcome = (outcome: string) =>
      eventually(outcome, () => platform.logLines.some((line) => line.includes(`"outcome":"${outcome}"`)));
    await addContact();
    await waitForOutcome("acknowledged");
    oldReceiver.respond = (request, response) =>
      respondWith(request.url.startsWith("/test") ? 200 : 404)(request, response);
    // Another spelling of the same URL.
    await save({ ...oldReceiver, baseAddress: `${oldReceiver.baseAddress.replace("http", "HTTP")}/` });
    await addContact();
    await waitForOutcome("retry");
    newReceiver.respond = oldReceiver.respond;
    await save(newReceiver);
    await addContact();
    await waitForOutcome("not_implemented");
  });

  test("deliveries to a new address do not wait for the old address's Retry-After [D-73]", async () => {
    oldReceiver.respond = respondWith(503, { "retry-after": "21600" });
    await createOfferAndApply();
    await eventually("the delivery is postponed", () =>
      platform.logLines.some((line) => line.includes('"outcome":"retry"')),
    );
    await save(newReceiver);
    await eventually("the new address is called", () => listReceivedIds(newReceiver).length === 1);
    expect(listReceivedIds(newReceiver)).toEqual(listReceivedIds(oldReceiver));
  });

  test("saving the same address again retries waiting deliveries immediately", async () => {
    oldReceiver.respond = respondWith(503, { "retry-after": "21600" });
    await createOfferAndApply();
    await eventually("the delivery is postponed", () =>
      platform.logLines.some((line) => line.includes('"outcome":"retry"')),
    );
    oldReceiver.respond = respondWith(200);
    await save(oldReceiver);
    await eventually("the address is called again", () => listReceivedIds(oldReceiver).length === 2);
  });
});
