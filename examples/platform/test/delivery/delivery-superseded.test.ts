import { describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { usePlatform, useReceiver } from "../support/use-opened.ts";

describe.each(await anyStore())("failed deliveries on $title", ({ createDatabase }) => {
  const platform = usePlatform({ createDatabase });
  const receiver = useReceiver();

  test("redelivering a failed delivery after the worker's later response gets 409, and nothing is sent", async () => {
    const token = await platform.signInPerson("hana@harbour-hotels.example");
    const profile = { baseAddress: receiver.baseAddress, secret: "a secret of some length", suggestsContacts: false };
    expect((await platform.call("PUT", "/portal/profile", { token, json: profile })).status).toBe(200);
    const offer = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };
    const created = await platform.call("POST", "/offer", { key: "demo-key-harbour", json: offer });
    const act = async (action: string) => {
      const path = `/worker-app/offers/${created.json<{ id: string }>().id}/${action}`;
      await platform.call("POST", path, { token: await platform.signInWorker("worker_amal") });
    };
    const readDeliveries = async () =>
      (await platform.call("GET", "/portal/deliveries", { token })).json<{
        deliveries: { id: string; state: string }[];
      }>().deliveries;
    const readStates = async () => (await readDeliveries()).map(({ state }) => state);

    receiver.respond = (request, response) =>
      respondWith(request.body.includes("accepted") ? 500 : 200)(request, response);
    await act("apply");
    await eventually("the delivery has failed", async () => (await readStates()).join() === "dead");
    await act("reject");
    await eventually(
      "the later response is acknowledged",
      async () => (await readStates()).join() === "acknowledged,dead",
    );
    const requestCount = receiver.requests.length;
    const [, dead] = await readDeliveries();
    const rejected = await platform.call("POST", `/portal/deliveries/${dead?.id}/redeliver`, { token });
    expect(rejected.json()).toMatchObject({ status: 409, code: "delivery_superseded" });
    expect(await readStates()).toEqual(["acknowledged", "dead"]);
    expect(receiver.requests).toHaveLength(requestCount);
  });
});
