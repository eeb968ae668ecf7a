import { beforeAll, describe, expect, test } from "vitest";
import { secret } from "../contract/harbour-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { respondWith } from "../support/receiver.ts";
import { usePageClient, usePlatform, useReceiver } from "../support/use-opened.ts";

describe("removing the base URL", () => {
  const platform = usePlatform({
    settings: {
      retrySchedule: { delaysMs: [50, 3_600_000], jitter: 0, maxRetryAfterMs: 0 },
    },
  });
  const hana = usePageClient(platform, "hana@harbour-hotels.example");
  const receiver = useReceiver();
  let token: string;
  beforeAll(async () => {
    token = await platform.signInPerson("hana@harbour-hotels.example");
  });

  const saveProfile = async () => {
    const json = { baseAddress: receiver.baseAddress, secret, suggestsContacts: false };
    expect((await platform.call("PUT", "/portal/profile", { token, json })).status).toBe(200);
  };
  const addContact = async (workerId: string) => {
    const workerToken = await platform.signInWorker(workerId);
    const json = { organisationId: "org_harbour" };
    expect((await platform.call("POST", "/worker-app/contacts", { token: workerToken, json })).status).toBe(204);
  };
  const readStates = async () =>
    (await platform.call("GET", "/portal/deliveries", { token }))
      .json<{ deliveries: { state: string }[] }>()
      .deliveries.map(({ state }) => state);
  const listContactRequests = () => receiver.requests.filter(({ url }) => url.startsWith("/contact/new/"));

  test("removing the base URL stops webhooks, and pending webhooks are delivered to the next base URL [D-120]", async () => {
    await saveProfile();
    receiver.respond = respondWith(503);
    await addContact("worker_amal");
    await eventually("the first two attempts have failed", async () => listContactRequests().length === 2);
    receiver.respond = respondWith(200);

    expect((await hana.get("/company/remove")).text).toContain(receiver.baseAddress);
    expect(await hana.send("/company/remove")).toMatchObject({ status: 303, location: "/company" });
    expect((await hana.get("/company")).text).toContain("No base URL");
    expect(await readStates()).toEqual(["held"]);
    await addContact("worker_ben");
    expect(await readStates()).toEqual(["held"]);
    expect((await hana.send("/company/remove")).status).toBe(409);

    await saveProfile();
    await eventually("the held event is delivered", async () => (await readStates()).join() === "acknowledged");
    expect(listContactRequests().at(-1)?.url).toBe("/contact/new/worker_amal");
  });
});
