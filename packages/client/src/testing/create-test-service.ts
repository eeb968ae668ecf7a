import { checkFailure } from "./check-failure.ts";
import { checkSuggestions } from "./check-suggestions.ts";
import { DeliveryError } from "./delivery/delivery-error.ts";
import { TestClock } from "./delivery/test-clock.ts";
import { WebhookDelivery } from "./delivery/webhook-delivery.ts";
import type { ReceiverProfile, WebhookListener, WebhookReceiver } from "./delivery/webhook-receiver.ts";
import { dialects } from "./dialects.ts";
import { failOrRespond } from "./fail-or-respond.ts";
import { handleRequest } from "./handle-request.ts";
import { IdempotencyCache } from "./idempotency-cache.ts";
import { type IncomingRequest, parseRequest } from "./incoming-request.ts";
import { OfferStore } from "./offer-store.ts";
import type { ServiceState } from "./run-operation.ts";
import type { TestFailure, TestRequest, TestService, TestServiceOptions } from "./test-service.ts";

const defaultWorkers = { worker_amal: "Amal Haddad", worker_ben: "Ben Okafor", worker_cleo: "Cleo Martin" };

/**
 * Creates a stateful in-memory fake of the service for one test. It applies the same rules as the reference platform; one contract suite
 * tests both. It does not set timers and does not need to be closed. It opens a port only for your server or listener. `deliverTo`
 * registers your receiver for its webhooks.
 *
 * @throws {TypeError} for an invalid `baseUrl` or an unknown dialect
 * @example vitest
 * ```ts
 * import { OffersClient } from "@offers/client";
 * import { createTestService } from "@offers/client/testing";
 * import { expect, test } from "vitest";
 *
 * test("an applicant can be confirmed", async () => {
 *   const service = createTestService({ workers: { w1: "Wanda" }, userIds: ["u1"] });
 *   const offers = new OffersClient(service);
 *   const { id } = await offers.createOffer({ createdByUserId: "u1", title: "Bar", workerIds: ["w1"] });
 *   service.respond(id, "w1", "applied");
 *   await offers.completeOffer(id, ["w1"]);
 *   expect(service.notifications.at(-1)).toEqual({ offerId: id, workerId: "w1", reason: "successful" });
 * });
 * ```
 *
 * @example node:test
 * ```ts
 * import assert from "node:assert/strict";
 * import { test } from "node:test";
 * import { OffersClient } from "@offers/client";
 * import { createTestService } from "@offers/client/testing";
 *
 * test("a 503 is retried", async () => {
 *   const service = createTestService();
 *   const offers = new OffersClient({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch: service.fetch });
 *   service.failNext({ status: 503, retryAfterSeconds: 0 });
 *   await assert.rejects(offers.getOffer("offer_unknown"), { code: "not_found", attempts: 2 });
 *   assert.equal(service.requests.length, 2);
 * });
 * ```
 *
 * @example msw
 * ```ts
 * import { createTestService } from "@offers/client/testing";
 * import { http } from "msw";
 * import { setupServer } from "msw/node";
 *
 * const service = createTestService({ baseUrl: "https://service.example", apiKey: "key" });
 * const server = setupServer(...service.handlers(http));
 * server.listen(); // global fetch now reaches the fake, until you call server.close()
 * ```
 */
export function createTestService(options: TestServiceOptions = {}): TestService {
  // D-69: the service follows the rules of the reference platform, and contains only what the test adds.
  const {
    baseUrl = "https://offers.test",
    apiKey = "test-key",
    dialect = "reference",
    now = () => new Date(),
  } = options;
  if (!Object.hasOwn(dialects, dialect))
    throw new TypeError(`createTestService: unknown dialect "${dialect}"; use ${Object.keys(dialects).join(" or ")}`);
  const serviceUrl = new URL(baseUrl).href.replace(/\/+$/, "");
  const clock = new TestClock(now);
  const webhooks = new WebhookDelivery(clock);
  const ownOrganisation = { userIds: new Set(options.userIds ?? ["user_hana"]) };
  const state: ServiceState = {
    dialect: dialects[dialect],
    grants: new Map([[apiKey, { organisation: ownOrganisation, userOrganisations: [ownOrganisation] }]]),
    workers: new Map(Object.entries(options.workers ?? defaultWorkers)),
    offers: new OfferStore(),
    idempotencyCache: new IdempotencyCache(),
    now: clock.now,
  };
  const requests: TestRequest[] = [];
  const failures: TestFailure[] = [];

  const handleFetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = await parseRequest(input, init);
    const path = request.url.replace(/[?#].*/s, "");
    if (!path.startsWith(`${serviceUrl}/`))
      throw new TypeError(`This test service is at ${serviceUrl}, not at ${new URL(path).origin}`);
    requests.push(toTestRequest(request));
    return failOrRespond(failures.shift(), request, () => handleRequest(state, request, path.slice(serviceUrl.length)));
  };

  const controls = {
    requests,
    notifications: state.offers.notifications,
    addWorker: (id, name) => void state.workers.set(id, name),
    addApiKey(key, { userIds = [], actingFor } = {}) {
      const keyOwner = { userIds: new Set(userIds) };
      const organisation = actingFor === undefined ? keyOwner : state.grants.get(actingFor)?.organisation;
      if (organisation === undefined) throw new TypeError("actingFor must be a key that this service has issued");
      state.grants.set(key, { organisation, userOrganisations: [organisation, keyOwner] });
    },
    respond(offerId, workerId, response) {
      if (response !== "applied" && response !== "rejected")
        throw new TypeError(`respond: unknown response "${response}"; use applied or rejected`);
      const { owner, isChanged } = state.offers.respond(offerId, workerId, response);
      // Only the organisation that owns the offer receives the event (D-39). Repeating a response is not an event (D-08).
      if (owner !== ownOrganisation || !isChanged) return;
      const data = { offerId, workerId, response: response === "applied" ? "accepted" : "rejected" } as const;
      webhooks.record({ type: "workerOfferResponse", data });
    },
    failNext(failure, times = 1) {
      checkFailure(failure, times);
      failures.push(...Array<TestFailure>(times).fill(failure));
    },
    now: clock.now,
    get deliveries() {
      return webhooks.deliveries;
    },
    deliverTo: (receiver: WebhookReceiver | WebhookListener, profile: ReceiverProfile) =>
      webhooks.deliverTo(receiver, profile),
    deliver: () => webhooks.deliver(),
    advance: (ms) => webhooks.advance(ms),
    addContact(workerId) {
      if (!state.workers.has(workerId))
        throw new DeliveryError("worker_not_found", "addContact: no worker has this id; add one with addWorker");
      webhooks.record({ type: "workerAddedContact", data: { workerId } });
    },
    redeliver: (deliveryId) => webhooks.redeliver(deliveryId),
    resend: (deliveryId, options) => webhooks.resend(deliveryId, options),
    suggestContacts: async ({ filter, userEmailAddresses }) =>
      checkSuggestions(await webhooks.searchSuggestions({ ...(filter && { filter }), userEmailAddresses })),
    // A failure becomes `Response.error()`, because msw responds with 500 when its resolver throws.
    handlers: (http) => [
      http.all(`${serviceUrl}/*`, ({ request }) => handleFetch(request).catch(() => Response.error())),
    ],
  } satisfies Omit<TestService, "fetch" | "baseUrl" | "apiKey">;
  // The client rejects unknown options. Only client options are enumerable here, so that a service can be spread into them.
  const service = { fetch: handleFetch, baseUrl: serviceUrl, apiKey };
  return Object.defineProperties(service, toHiddenProperties(controls)) as typeof service & TestService;
}

/** Returns descriptors that define the same members as non-enumerable properties. */
const toHiddenProperties = (members: object): PropertyDescriptorMap =>
  Object.fromEntries(
    Object.entries(Object.getOwnPropertyDescriptors(members)).map(([name, { value, get }]) => [
      name,
      get ? { get } : { value },
    ]),
  );

function toTestRequest({ method, url, headers, body }: IncomingRequest): TestRequest {
  const text = new TextDecoder().decode(body);
  let recordedBody: unknown = text === "" ? undefined : text;
  try {
    recordedBody = JSON.parse(text);
  } catch {
    // The body is not JSON, so it is recorded as a string.
  }
  return { method, url, headers: Object.fromEntries(headers), body: recordedBody };
}
