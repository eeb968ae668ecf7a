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

  const save = async () => {
    const json = { baseAddress: receiver.baseAddress, secret, suggestsContacts: false };
    expect((await platform.call("PUT", "/portal/profile", { token, json })).status).toBe(200);
  };
  const addContact = async (workerId: string) => {
    const worker = await platform.signInWorker(workerId);
    const json = { organisationId: "org_harbour" };
    expect((await platform.call("POST", "/worker-app/contacts", { token: worker, json })).status).toBe(204);
  };
  const states = async () =>
    (await platform.call("GET", "/portal/deliveries", { token }))
      .json<{ deliveries: { state: string }[] }>()
      .deliveries.map(({ state }) => state);
  const contacts = () => receiver.requests.filter(({ url }) => url.startsWith("/contact/new/"));

  test("ends webhooks, and delivers pending ones to the next address [D-120]", async () => {
    await save();
    receiver.respond = respondWith(503);
    await addContact("worker_amal");
    await eventually("both early attempts failed", async () => contacts().length === 2);
    receiver.respond = respondWith(200);

    expect((await hana.get("/company/remove")).text).toContain(receiver.baseAddress);
    expect(await hana.send("/company/remove")).toMatchObject({ status: 303, location: "/company" });
    expect((await hana.get("/company")).text).toContain("No base URL");
    expect(await states()).toEqual(["held"]);
    await addContact("worker_ben");
    expect(await states()).toEqual(["held"]);
    expect((await hana.send("/company/remove")).status).toBe(409);

    await save();
    await eventually("it is delivered", async () => (await states()).join() === "acknowledged");
    expect(contacts().at(-1)?.url).toBe("/contact/new/worker_amal");
  });
});
