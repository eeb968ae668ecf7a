import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { openReceiver, type Receiver, type Respond, respondWith } from "../support/receiver.ts";
import { anyStore, type TestDatabase } from "../support/stores/stores.ts";

interface ProfileHealth {
  health: { failingSince: string | null; disabledBecause: string | null; held: number };
}

describe.each(await anyStore())("a changed profile on $title", ({ createDatabase }) => {
  let database: TestDatabase;
  let platform: PlatformUnderTest;
  let before: Receiver;
  let after: Receiver;
  let token: string;

  beforeEach(async () => {
    database = await createDatabase();
    platform = await openPlatform(database);
    [before, after] = [await openReceiver(), await openReceiver()];
    token = await platform.signInPerson("hana@harbour-hotels.example");
    await save(before);
  });
  afterEach(async () => {
    for (const receiver of [before, after]) await receiver.close();
    await platform.close();
    await database.remove();
  });

  const save = async ({ baseAddress }: Receiver) => {
    const profile = { baseAddress, secret: "a secret of some length", suggestsContacts: false };
    expect((await platform.call("PUT", "/portal/profile", { token, json: profile })).status).toBe(200);
  };
  const health = async () => (await platform.call("GET", "/portal/profile", { token })).json<ProfileHealth>().health;
  const receivedIds = ({ requests }: Receiver) =>
    requests.map(({ headers }) => headers["offers-delivery-id"]).filter(Boolean);
  const happen = async () => {
    const worker = await platform.signInWorker("worker_amal");
    const json = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };
    const { id } = (await platform.call("POST", "/offer", { key: "demo-key-harbour", json })).json<{ id: string }>();
    await platform.call("POST", `/worker-app/offers/${id}/apply`, { token: worker });
  };

  test.each([410, 503])("is not affected by a late response from the old address: %i [D-73]", async (status) => {
    const held: (() => void)[] = [];
    const later: Respond = (request, response) => void held.push(() => respondWith(status)(request, response));
    before.respond = later;
    await happen();
    await eventually("the old address is called", () => held.length === 1);
    await save(after);
    for (const response of held) response();
    await eventually("the new address is called", () => receivedIds(after).length === 1);
    expect(receivedIds(after)).toEqual(receivedIds(before));
    expect(await health()).toMatchObject({ failingSince: null, disabledBecause: null, held: 0 });
  });

  test("does not wait for the Retry-After of the old address [D-73]", async () => {
    before.respond = respondWith(503, { "retry-after": "21600" });
    await happen();
    await eventually("it is put off", () => platform.logLines.some((line) => line.includes('"outcome":"retry"')));
    await save(after);
    await eventually("the new address is called", () => receivedIds(after).length === 1);
    expect(receivedIds(after)).toEqual(receivedIds(before));
  });

  test("does not wait when the same address is saved again", async () => {
    before.respond = respondWith(503, { "retry-after": "21600" });
    await happen();
    await eventually("it is put off", () => platform.logLines.some((line) => line.includes('"outcome":"retry"')));
    before.respond = respondWith(200);
    await save(before);
    await eventually("it is called again", () => receivedIds(before).length === 2);
  });
});
