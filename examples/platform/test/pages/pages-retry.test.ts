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

describe("a delivery that waits until tomorrow", () => {
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
    await eventually("nothing is pending", async () => (await listed("pending")).length === 0);
  });

  const call = (path: string, as = token) => platform.call("POST", `/portal/deliveries/${path}`, { token: as });
  const listed = async (state: string) =>
    (await platform.call("GET", `/portal/deliveries?state=${state}`, { token })).json<{
      deliveries: ListedDelivery[];
    }>().deliveries;
  const failOnce = async (status = 503): Promise<string> => {
    receiver.respond = respondWith(status);
    const json = { organisationId: "org_harbour" };
    const worker = await platform.signInWorker("worker_amal");
    expect((await platform.call("POST", "/worker-app/contacts", { token: worker, json })).status).toBe(204);
    const state = status === 410 ? "held" : "pending";
    await eventually("it failed", async () => (await listed(state))[0]?.attempts.length === 1);
    receiver.respond = respondWith(200);
    return (await listed(state))[0]?.id ?? "";
  };
  const isAcknowledged = (id: string) =>
    eventually("it is acknowledged", async () => (await listed("acknowledged")).some((one) => one.id === id));

  test("has a button on its page that attempts it now", async () => {
    const id = await failOnce();
    const { text } = await hana.get(`/deliveries/${id}`);
    expect(text).toMatch(new RegExp(`action="/deliveries/${id}/retry"[^]*<button>Retry now</button>`));
    expect(await hana.send(`/deliveries/${id}/retry`)).toMatchObject({ status: 303, location: `/deliveries/${id}` });
    expect((await hana.get(`/deliveries/${id}`)).text).toContain("The event is being attempted now.");
    await isAcknowledged(id);
    expect((await hana.get(`/deliveries/${id}`)).text).not.toContain("Retry now");
    await hana.send(`/deliveries/${id}/retry`);
    expect((await hana.get(`/deliveries/${id}`)).text).toContain("The delivery is no longer pending.");
  });

  test("is attempted now by the API, which a rejected redelivery points to", async () => {
    const id = await failOnce();
    const refused = await call(`${id}/redeliver`);
    expect(refused.json()).toMatchObject({ status: 409, code: "delivery_pending" });
    expect(refused.text).toContain("POST /portal/deliveries/{id}/retry");
    const retried = await call(`${id}/retry`);
    expect([retried.status, retried.json()]).toEqual([202, { id }]);
    await isAcknowledged(id);
    expect((await call(`${id}/retry`)).json()).toMatchObject({ status: 409, code: "delivery_settled" });
    const stranger = await platform.signInPerson("bo@bistro-group.example");
    expect((await call(`${id}/retry`, stranger)).json()).toMatchObject({ status: 404, code: "delivery_not_found" });
    expect((await call("retry", stranger)).json()).toMatchObject({ status: 409, code: "profile_missing" });
  });

  test("is attempted with all others by a button on the profile and by the API", async () => {
    const ids = [await failOnce(), await failOnce()];
    expect((await hana.get("/company")).text).toContain("<button>Retry all now</button>");
    expect(await hana.send("/company/retry")).toMatchObject({ status: 303, location: "/company" });
    expect((await hana.get("/company")).text).toContain("2 waiting events are being attempted now.");
    for (const id of ids) await isAcknowledged(id);
    const id = await failOnce();
    const retried = await call("retry");
    expect([retried.status, retried.json()]).toEqual([202, { pending: 1, checks: [] }]);
    await isAcknowledged(id);
  });

  test("is not attempted alone at a disabled endpoint, and is delivered by the API once its checks pass [D-130]", async () => {
    const id = await failOnce(410);
    expect((await hana.get(`/deliveries/${id}`)).text).toContain("Enable the endpoint…");
    expect((await hana.get("/company")).text).toContain("<button>Check, enable and retry all</button>");
    expect((await call(`${id}/retry`)).json()).toMatchObject({ status: 409, code: "endpoint_disabled" });
    receiver.respond = respondWith(410);
    expect((await call("retry")).json()).toMatchObject({ status: 422, code: "endpoint_check_failed" });
    receiver.respond = respondWith(200);
    expect((await call("retry")).json()).toMatchObject({ pending: 1, checks: [{ passed: true }, { passed: true }] });
    await isAcknowledged(id);
  });
});
