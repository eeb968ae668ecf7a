import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { respondWith } from "../support/receiver.ts";
import { usePageClient, usePlatform, useReceiver } from "../support/use-opened.ts";

const dayMs = 86_400_000;

interface ListedDelivery {
  id: string;
  state: string;
  nextAttemptAt: string | null;
  attempts: object[];
}

describe("deliveries that wait until tomorrow", () => {
  const platform = usePlatform({
    settings: {
      retrySchedule: { delaysMs: [dayMs, dayMs, dayMs], jitter: 0, maxRetryAfterMs: 0 },
    },
  });
  const hana = usePageClient(platform, "hana@harbour-hotels.example");
  const receiver = useReceiver();
  let token: string;

  beforeAll(async () => {
    token = await platform.signInPerson("hana@harbour-hotels.example");
  });
  beforeEach(async () => {
    receiver.respond = respondWith(200);
    const secret = "9a4f3c52-7c1e-4b57-9e0c-2f4f6f0f6a11";
    await hana.send("/company", { baseAddress: receiver.baseAddress, secret, scheme: "timestampDigest" });
    await eventually("nothing is pending", async () => (await listDeliveries("pending")).length === 0);
  });

  const postToDeliveries = (path: string, bearer = token) =>
    platform.call("POST", `/portal/deliveries/${path}`, { token: bearer });
  const listDeliveries = async (state: string) =>
    (await platform.call("GET", `/portal/deliveries?state=${state}`, { token })).json<{
      deliveries: ListedDelivery[];
    }>().deliveries;
  const addFailedDelivery = async (status = 503): Promise<string> => {
    receiver.respond = respondWith(status);
    const json = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };
    const created = await platform.call("POST", "/offer", { key: "demo-key-harbour", json });
    const path = `/worker-app/offers/${created.json<{ id: string }>().id}/apply`;
    const worker = await platform.signInWorker("worker_amal");
    expect((await platform.call("POST", path, { token: worker })).status).toBe(204);
    const state = status === 410 ? "held" : "pending";
    await eventually(
      "the first attempt has failed",
      async () => (await listDeliveries(state))[0]?.attempts.length === 1,
    );
    receiver.respond = respondWith(200);
    return (await listDeliveries(state))[0]?.id ?? "";
  };
  const waitUntilAcknowledged = (id: string) =>
    eventually("the delivery is acknowledged", async () =>
      (await listDeliveries("acknowledged")).some((delivery) => delivery.id === id),
    );

  test("a button on the page of a pending delivery attempts the delivery now", async () => {
    const id = await addFailedDelivery();
    const { text } = await hana.get(`/deliveries/${id}`);
    expect(text).toMatch(new RegExp(`action="/deliveries/${id}/retry"[^]*<button>Retry now</button>`));
    expect(await hana.send(`/deliveries/${id}/retry`)).toMatchObject({ status: 303, location: `/deliveries/${id}` });
    expect((await hana.get(`/deliveries/${id}`)).text).toContain("The event is being attempted now.");
    await waitUntilAcknowledged(id);
    expect((await hana.get(`/deliveries/${id}`)).text).not.toContain("Retry now");
    await hana.send(`/deliveries/${id}/retry`);
    expect((await hana.get(`/deliveries/${id}`)).text).toContain("The delivery is no longer pending.");
  });

  test("an API call attempts a pending delivery now, as the error for a redelivery suggests", async () => {
    const id = await addFailedDelivery();
    const rejected = await postToDeliveries(`${id}/redeliver`);
    expect(rejected.json()).toMatchObject({ status: 409, code: "delivery_pending" });
    expect(rejected.text).toContain("POST /portal/deliveries/{id}/retry");
    const retried = await postToDeliveries(`${id}/retry`);
    expect([retried.status, retried.json()]).toEqual([202, { id }]);
    await waitUntilAcknowledged(id);
    expect((await postToDeliveries(`${id}/retry`)).json()).toMatchObject({ status: 409, code: "delivery_settled" });
    const boToken = await platform.signInPerson("bo@bistro-group.example");
    expect((await postToDeliveries(`${id}/retry`, boToken)).json()).toMatchObject({
      status: 404,
      code: "delivery_not_found",
    });
    expect((await postToDeliveries("retry", boToken)).json()).toMatchObject({
      status: 409,
      code: "profile_missing",
    });
  });

  test("a button on the company profile or an API call attempts all pending deliveries now", async () => {
    const ids = [await addFailedDelivery(), await addFailedDelivery()];
    expect((await hana.get("/company")).text).toContain("<button>Retry all now</button>");
    expect(await hana.send("/company/retry")).toMatchObject({ status: 303, location: "/company" });
    expect((await hana.get("/company")).text).toContain("2 waiting events are being attempted now.");
    for (const id of ids) await waitUntilAcknowledged(id);
    const id = await addFailedDelivery();
    const retried = await postToDeliveries("retry");
    expect([retried.status, retried.json()]).toEqual([202, { pending: 1, checks: [] }]);
    await waitUntilAcknowledged(id);
  });

  test("retrying one delivery does not enable a disabled endpoint, and retrying all deliveries enables it if its checks pass [D-130]", async () => {
    const id = await addFailedDelivery(410);
    expect((await hana.get(`/deliveries/${id}`)).text).toContain("Enable the endpoint…");
    expect((await hana.get("/company")).text).toContain("<button>Check, enable and retry all</button>");
    expect((await postToDeliveries(`${id}/retry`)).json()).toMatchObject({ status: 409, code: "endpoint_disabled" });
    receiver.respond = respondWith(410);
    expect((await postToDeliveries("retry")).json()).toMatchObject({ status: 422, code: "endpoint_check_failed" });
    receiver.respond = respondWith(200);
    expect((await postToDeliveries("retry")).json()).toMatchObject({
      pending: 1,
      checks: [{ passed: true }, { passed: true }],
    });
    await waitUntilAcknowledged(id);
  });
});
