import { expect, onTestFinished, test, vi } from "vitest";
import { NotFoundError, OffersClient } from "../../src/index.ts";
import { createTestService } from "../../src/testing.ts";
import { input } from "../support/offer.ts";

test("a test service can be passed as the client's options", async () => {
  const service = createTestService();
  const offers = new OffersClient(service);
  const { id } = await offers.createOffer(input);
  expect(await offers.getOffer(id)).toMatchObject({ id, title: input.title });
});

test("two services are independent", async () => {
  const [first, second] = [createTestService(), createTestService()];
  const { id } = await new OffersClient(first).createOffer(input);
  await expect(new OffersClient(second).getOffer(id)).rejects.toBeInstanceOf(NotFoundError);
  expect(second.notifications).toEqual([]);
});

test("the URL, the key, the users and the workers can be chosen [D-69]", async () => {
  const baseUrl = "https://staffing.example/v1/";
  const service = createTestService({ baseUrl, apiKey: "ours", workers: { w1: "Wanda" }, userIds: ["u1"] });
  service.addWorker("w2", "Wim");
  const offers = new OffersClient({ baseUrl, apiKey: "ours", fetch: service.fetch });
  const { id } = await offers.createOffer({ createdByUserId: "u1", title: "Bar", workerIds: ["w1", "w2"] });
  expect((await offers.getOffer(id)).recipients.map(({ name }) => name)).toEqual(["Wanda", "Wim"]);
  await expect(offers.createOffer(input)).rejects.toMatchObject({ status: 400 });
});

test("an offer becomes historic when the test's clock reaches the end of its last event", async () => {
  let now = new Date("2030-05-01T12:00:00Z");
  const service = createTestService({ now: () => now });
  const offers = new OffersClient(service);
  const events = [{ start: "2030-05-01T16:00:00Z", end: "2030-05-01T22:00:00Z" }];
  const { id } = await offers.createOffer({ ...input, events });
  expect(await offers.getOffer(id)).toMatchObject({ isHistoric: false, createdAt: "2030-05-01T12:00:00.000Z" });
  now = new Date("2030-05-01T22:00:00Z");
  expect(await offers.getOffer(id)).toMatchObject({ isHistoric: true });
});

test("an offer is not historic before the last digit of its end", async () => {
  let now = new Date("2030-05-01T22:00:00.123Z");
  const offers = new OffersClient(createTestService({ now: () => now }));
  const events = [{ start: "2030-05-01T16:00:00Z", end: "2030-05-01T22:00:00.1231Z" }];
  const { id } = await offers.createOffer({ ...input, events });
  expect(await offers.getOffer(id)).toMatchObject({ isHistoric: false });
  now = new Date("2030-05-01T22:00:00.124Z");
  expect(await offers.getOffer(id)).toMatchObject({ isHistoric: true });
});

test("a creation with the same idempotency key returns the same offer for 24 hours", async () => {
  let now = Date.parse("2030-05-01T12:00:00Z");
  const offers = new OffersClient(createTestService({ now: () => new Date(now) }));
  const create = async () => (await offers.createOffer(input, { idempotencyKey: "k" })).id;
  const firstId = await create();
  now += 24 * 60 * 60 * 1_000 - 1;
  expect(await create()).toBe(firstId);
  now += 1;
  expect(await create()).not.toBe(firstId);
});

test("a test service does not set timers, so it responds even in a test that fakes them", async () => {
  vi.useFakeTimers({ now: new Date("2040-01-01T00:00:00Z") });
  onTestFinished(() => void vi.useRealTimers());
  const offers = new OffersClient(createTestService());
  const { id } = await offers.createOffer(input);
  expect(await offers.getOffer(id)).toMatchObject({ createdAt: "2040-01-01T00:00:00.000Z" });
  expect(vi.getTimerCount()).toBe(0);
});

test("a test can read the requests", async () => {
  const service = createTestService();
  const offers = new OffersClient(service);
  const { id } = await offers.createOffer(input, { idempotencyKey: "k" });
  await offers.withdrawOffer(id);
  await service.fetch(`${service.baseUrl}/offer`, { method: "POST", body: "not JSON" });
  expect(service.requests).toMatchObject([
    {
      method: "POST",
      url: "https://offers.test/offer?api-version=1.0",
      headers: { "x-ue-api-subscription-key": "test-key", "idempotency-key": "k" },
      body: JSON.parse(JSON.stringify(input)),
    },
    { method: "GET", url: `https://offers.test/offer/${id}/withdraw?api-version=1.0`, body: undefined },
    { method: "POST", body: "not JSON" },
  ]);
});

test("a test can read the notifications", async () => {
  const service = createTestService();
  const offers = new OffersClient(service);
  const { id: offerId } = await offers.createOffer({ ...input, workerIds: ["worker_ben", "worker_amal"] });
  service.respond(offerId, "worker_amal", "applied");
  await offers.completeOffer(offerId, ["worker_amal"]);
  expect(service.notifications).toEqual([
    { offerId, workerId: "worker_ben", reason: "offer" },
    { offerId, workerId: "worker_amal", reason: "offer" },
    { offerId, workerId: "worker_ben", reason: "unsuccessful" },
    { offerId, workerId: "worker_amal", reason: "successful" },
  ]);
});

test("respond throws an error with a code if the service would reject the worker's response", async () => {
  const service = createTestService();
  const offers = new OffersClient(service);
  const { id } = await offers.createOffer({ ...input, workerIds: ["worker_ben"] });
  const respond = (offerId: string, workerId: string) => () => service.respond(offerId, workerId, "applied");
  expect(respond(id, "worker_amal")).toThrow(expect.objectContaining({ code: "offer_not_found" }));
  await offers.withdrawOffer(id);
  expect(respond(id, "worker_ben")).toThrow(expect.objectContaining({ code: "offer_withdrawn" }));
});

test("addApiKey rejects an unknown key as actingFor", () => {
  const service = createTestService();
  expect(() => service.addApiKey("agency", { actingFor: "unknown" })).toThrow("issued");
});

test("a request to any other URL is rejected with an error that contains the service's URL", async () => {
  const service = createTestService();
  for (const url of ["https://elsewhere.test/offer", "https://offers.test.elsewhere.test/offer"])
    await expect(service.fetch(url)).rejects.toThrow(/This test service is at https:\/\/offers\.test, not at https/);
  const offers = new OffersClient({ ...service, baseUrl: "https://elsewhere.test", maxRetries: 0 });
  await expect(offers.getOffer("a")).rejects.toThrow("This test service is at https://offers.test");
  expect(service.requests).toEqual([]);
});

test.each<[string, (url: string, init: RequestInit) => Parameters<typeof fetch>]>([
  ["a string", (url, init) => [url, init]],
  ["a URL", (url, init) => [new URL(url), init]],
  ["a Request", (url, init) => [new Request(url, init)]],
  ["bytes", (url, init) => [url, { ...init, body: new TextEncoder().encode(String(init.body)) }]],
  ["a Request and an init that overrides it", (url, init) => [new Request(url), init]],
])("fetch accepts %s, like any fetch", async (_, toArguments) => {
  const service = createTestService({ dialect: "live" });
  const headers = { "Content-Type": "application/json", "X-UE-Api-Subscription-Key": service.apiKey };
  const url = `${service.baseUrl}/offer?api-version=1.0`;
  const response = await service.fetch(...toArguments(url, { method: "POST", headers, body: JSON.stringify(input) }));
  expect([response.status, await response.text()]).toEqual([200, expect.stringMatching(/^offer_/)]);
});

test("changing an offer after reading it, or the input after sending it, does not change the service", async () => {
  const offers = new OffersClient(createTestService());
  const mutableInput = { ...input, events: [{ start: "2099-05-01T16:00:00Z", end: "2099-05-01T22:00:00Z" }] };
  const { id } = await offers.createOffer(mutableInput);
  const offer = await offers.getOffer(id);
  offer.recipients.length = 0;
  offer.complete = true;
  mutableInput.events.length = 0;
  expect(await offers.getOffer(id)).toMatchObject({ complete: false, recipients: [{}, {}], events: [{}] });
});

// In Node 22, Request accepts such a signal too.
test("fetch accepts an AbortSignal from another realm, such as jsdom's", async () => {
  const service = createTestService();
  const signal = Object.assign(new EventTarget(), { aborted: false, reason: undefined }) as AbortSignal;
  if (!process.version.startsWith("v22."))
    expect(() => new Request(service.baseUrl, { signal })).toThrow("AbortSignal");
  expect((await service.fetch(`${service.baseUrl}/offer/a`, { signal })).status).toBe(401);
});
