import { standardWebhooks, timestampDigest } from "@offers/webhook-kit";
import { webhookListener } from "@offers/webhook-kit/node";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { captureConsole } from "../../../../packages/webhook-kit/test/support/capture-console.ts";
import { eventually } from "../support/eventually.ts";
import { openReceiver, type ReceivedRequest, respondWith } from "../support/receiver.ts";
import { serve } from "../support/serve.ts";
import { anyStore } from "../support/stores/stores.ts";
import { usePlatform } from "../support/use-opened.ts";

captureConsole();

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const bothSchemes = "timestampDigestAndStandardWebhooks";

describe.each(await anyStore())("an endpoint's signature scheme on $title", ({ createDatabase }) => {
  const platform = usePlatform({ createDatabase });
  let token: string;
  const openServers: { close(): Promise<unknown> }[] = [];
  beforeAll(async () => {
    token = await platform.signInPerson("hana@harbour-hotels.example");
  });
  afterEach(async () => {
    for (const server of openServers.splice(0)) await server.close();
  });

  const saveProfile = (baseAddress: string, changes: object = {}) =>
    platform.call("PUT", "/portal/profile", {
      token,
      json: { baseAddress, secret, scheme: bothSchemes, suggestsContacts: true, ...changes },
    });
  /** Triggers one request of every kind that an endpoint can receive. @returns the suggestion results */
  const triggerEveryRequest = async (): Promise<object[]> => {
    const workerToken = await platform.signInWorker("worker_amal");
    const offer = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };
    const created = await platform.call("POST", "/offer", { key: "demo-key-harbour", json: offer });
    await platform.call("POST", `/worker-app/offers/${created.json<{ id: string }>().id}/apply`, {
      token: workerToken,
    });
    const contact = { organisationId: "org_harbour" };
    await platform.call("POST", "/worker-app/contacts", { token: workerToken, json: contact });
    const search = await platform.call("POST", "/portal/suggestions/search", {
      token,
      json: { organisationIds: ["org_harbour"], filter: "Köchin ✂" },
    });
    return search.json<{ results: object[] }>().results;
  };

  test.each([timestampDigest(), standardWebhooks()])(
    "with both schemes, a receiver built with the kit accepts every request that it verifies with $name",
    async (scheme) => {
      const received: string[] = [];
      const rejected: string[] = [];
      const listener = webhookListener({
        secret,
        scheme,
        onRejected: ({ code }) => void rejected.push(code),
        onWorkerOfferResponse: ({ response }) => void received.push(response),
        onWorkerAddedContact: ({ workerId }) => void received.push(workerId),
        suggestContacts: ({ filter }) => [{ name: filter ?? "", emailAddress: "a@example.com", ratings: [] }],
      });
      const receiver = await serve(listener);
      openServers.push(receiver);
      expect((await saveProfile(receiver.baseAddress)).json()).toMatchObject({
        scheme: bothSchemes,
        checks: [{ status: 200 }, { status: 200 }],
      });
      // The third request of the checks is signed with a wrong secret (D-41).
      expect(rejected.splice(0)).toEqual(["signature_mismatch"]);
      expect(await triggerEveryRequest()).toMatchObject([{ suggestions: [{ name: "Köchin ✂" }] }]);
      await eventually("both events arrive", () => received.length === 2);
      expect(received.toSorted()).toEqual(["accepted", "worker_amal"]);
      expect(rejected).toEqual([]);
    },
  );

  test("with both schemes, npm's standardwebhooks verifies the delivered bytes with the delivery id [D-76]", async () => {
    const receiver = await openReceiver(respondWith(200, {}, "[]"));
    openServers.push(receiver);
    await saveProfile(receiver.baseAddress);
    // Remove the third request, which is signed with a wrong secret (D-41).
    const [forged] = receiver.requests.splice(2, 1);
    expect(() => verifySignature(forged as ReceivedRequest)).toThrow();
    receiver.respond = (request, response) => {
      const isEvent = request.headers["offers-delivery-id"] !== undefined;
      const id = readWebhookId(request.headers);
      const attemptCount = receiver.requests.filter(({ headers }) => readWebhookId(headers) === id).length;
      // Fail the first attempt at each event.
      const status = isEvent && attemptCount === 1 ? 500 : 200;
      respondWith(status, {}, "[]")(request, response);
    };
    await triggerEveryRequest();
    const listEventRequests = () =>
      receiver.requests.filter(({ headers }) => headers["offers-delivery-id"] !== undefined);
    await eventually("both events arrive twice", () => listEventRequests().length === 4);
    const signed = receiver.requests.filter(({ url }) => url !== "/test");
    expect(signed.map(({ url }) => url)).toEqual(expect.arrayContaining(["/test/auth", "/contact-suggestions"]));
    for (const request of signed) {
      expect(request.headers).toMatchObject({
        timestamp: expect.any(String),
        authorization: expect.stringMatching(/^hmac /),
      });
      verifySignature(request);
      expect(() => verifySignature({ ...request, body: `${request.body} ` })).toThrow();
    }
    // All attempts at a delivery have the same id. Each other request has a new id.
    expect(listEventRequests().map(({ headers }) => readWebhookId(headers))).toEqual(
      listEventRequests().map(({ headers }) => headers["offers-delivery-id"]),
    );
    expect(new Set(listEventRequests().map(({ headers }) => readWebhookId(headers))).size).toBe(2);
    const otherRequests = signed.filter((request) => !listEventRequests().includes(request));
    expect(new Set(otherRequests.map(({ headers }) => readWebhookId(headers))).size).toBe(otherRequests.length);
    expect(receiver.requests.find(({ url }) => url === "/test")?.headers).not.toHaveProperty("webhook-signature");
  });

  test("an endpoint gets only the documented signatures by default [D-76]", async () => {
    const receiver = await openReceiver(respondWith(200, {}, "[]"));
    openServers.push(receiver);
    const saved = await saveProfile(receiver.baseAddress, { scheme: undefined, secret: "no-base64-but-long-enough" });
    expect(saved.json()).toMatchObject({ scheme: "timestampDigest" });
    await triggerEveryRequest();
    await eventually("both events arrive", () => receiver.requests.length >= 5);
    for (const { headers } of receiver.requests)
      expect(Object.keys(headers).filter((name) => name.startsWith("webhook-"))).toEqual([]);
  });

  test.each([
    "no-base64-but-long-enough",
    "9a4f3c52-7c1e-4b57-9e0c-2f4f6f0f6a11",
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS",
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa-_",
    "whsec_c2hvcnQ=",
  ])(
    "with both schemes, the secret %s, which contains no key, is rejected, and nothing is called",
    async (invalidSecret) => {
      const receiver = await openReceiver();
      openServers.push(receiver);
      const rejected = await saveProfile(receiver.baseAddress, { secret: invalidSecret });
      expect(rejected.json()).toMatchObject({ status: 400, errors: { secret: [expect.any(String)] } });
      expect(rejected.text).not.toContain(invalidSecret);
      expect(receiver.requests).toEqual([]);
    },
  );

  test("an endpoint's scheme must be one of the two values", async () => {
    const rejected = await saveProfile("http://127.0.0.1:1", { scheme: "standardWebhooks" });
    expect(rejected.json()).toMatchObject({ status: 400, errors: { scheme: [expect.stringContaining(bothSchemes)] } });
  });
});

const readWebhookId = (headers: ReceivedRequest["headers"]) => headers["webhook-id"];

/** Verifies a request's Standard Webhooks signature. @throws if it is invalid */
function verifySignature({ body, headers }: ReceivedRequest): void {
  new Webhook(secret).verify(body, headers as Record<string, string>);
}
