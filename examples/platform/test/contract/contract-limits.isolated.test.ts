// Tests the default timeouts and retries that spec/decisions.yaml defines.
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { OffersClient } from "@offers/client";
import { timestampDigest } from "@offers/webhook-kit";
import { webhookRouter } from "@offers/webhook-kit/express";
import express from "express";
import { afterEach, describe, expect, test, vi } from "vitest";
import { captureConsole } from "../../../../packages/webhook-kit/test/support/capture-console.ts";
import { searchSuggestions } from "../../src/accounts/contact-suggestions.ts";
import { createEndpointClient } from "../../src/endpoint-client/create-endpoint-client.ts";
import type { EndpointClient } from "../../src/endpoint-client/endpoint-client.ts";
import { testEndpoint } from "../../src/endpoint-client/test-endpoint.ts";
import { notifyWorkers } from "../../src/push/notify-workers.ts";
import { startPush } from "../../src/push/start-push.ts";
import { recordEvent } from "../../src/webhooks/record-event.ts";
import { startDelivery } from "../../src/webhooks/start-delivery.ts";
import {
  addOrganisation,
  type DeliveryFixture,
  openDeliveryFixture,
  testEncryptionKey,
} from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { anyStore } from "../support/stores/stores.ts";
import { secret } from "./harbour-fixture.ts";

captureConsole();

/** Creates a client that returns 200 for every request and records its timeout. */
function createRecordingClient(): EndpointClient & { timeouts: [string, number][] } {
  const timeouts: [string, number][] = [];
  return {
    timeouts,
    async send({ path, timeoutMs }) {
      timeouts.push([path, timeoutMs]);
      return { ok: true, status: 200, body: Buffer.from("[]"), truncated: false, durationMs: 1 };
    },
    close: async () => undefined,
  };
}

/** Runs `work` with a delivery fixture on a new database, and removes both afterwards. */
async function withDeliveryFixture(work: (fixture: DeliveryFixture) => Promise<void>): Promise<void> {
  const [store] = await anyStore();
  const database = await store.createDatabase();
  const fixture = await openDeliveryFixture(database);
  await work(fixture).finally(() => fixture.close());
  await database.remove();
}

describe("default timeouts and retries", () => {
  afterEach(() => void vi.useRealTimers());

  test("a delivery attempt may take 15 seconds [D-25] [interface: Limits 1]", () =>
    withDeliveryFixture(async ({ store, leases }) => {
      const endpointClient = createRecordingClient();
      const delivery = startDelivery({
        store,
        leases,
        endpointClient,
        encryptionKey: testEncryptionKey,
        sign: () => ({}),
        onError: () => undefined,
      });
      const organisationId = await addOrganisation(store, "http://127.0.0.1:1");
      const event = { type: "workerAddedContact", data: { workerId: "worker_amal" } } as const;
      await store.transaction((trx) => recordEvent(trx, organisationId, event));
      await eventually("the delivery is attempted", () => endpointClient.timeouts.length === 1);
      expect(endpointClient.timeouts).toEqual([["/contact/new/{workerId}", 15_000]]);
      await delivery.stop();
    }));

  test("a push is attempted ten times", () =>
    withDeliveryFixture(async ({ store, leases }) => {
      const ids = { id: "offer-1", organisation_id: await addOrganisation(store), created_by_user_id: "user-1" };
      const empty = { title: "", details: "", location_place_id: "", notify_email_address: null, events: "[]" };
      await store.db
        .insertInto("offers")
        .values({ ...ids, ...empty, ends_at: null })
        .execute();
      await store.db.insertInto("workers").values({ id: "worker-1", name: "Ann", password_hash: "" }).execute();
      await store.db.insertInto("devices").values({ id: "device-1", worker_id: "worker-1", platform: "ios" }).execute();
      let attemptCount = 0;
      const send = async () => {
        attemptCount += 1;
        throw new Error("the phone is off");
      };
      const onError = () => undefined;
      const push = startPush({ store, leases, transport: { send }, onError, firstRetryMs: 1 });
      const offer = { offerId: "offer-1", workerIds: ["worker-1"], reason: "offer" } as const;
      await store.transaction((trx) => notifyWorkers(trx, offer));
      const notification = store.db.selectFrom("notifications").select(["attempts", "sent_at"]);
      await eventually(
        "the push has failed for good",
        async () => (await notification.executeTakeFirst())?.attempts === 10,
      );
      // Wait, because a further attempt would start immediately.
      await setTimeout(200);
      await push.stop();
      expect([attemptCount, await notification.execute()]).toEqual([10, [{ attempts: 10, sent_at: null }]]);
    }));

  test("an endpoint check or a suggestion search may take 5 seconds [D-25] [interface: Limits 1]", async () => {
    const endpointClient = createRecordingClient();
    const endpoint = { baseAddress: "http://127.0.0.1:1", scheme: "timestampDigest", secret } as const;
    await testEndpoint(endpointClient, () => ({}), endpoint);
    await searchSuggestions(endpointClient, () => ({}), { ...endpoint, userEmailAddresses: [] });
    expect(endpointClient.timeouts).toEqual([
      ["/test", 5_000],
      ["/test/auth", 5_000],
      ["/test/auth", 5_000],
      ["/contact-suggestions", 5_000],
    ]);
  });

  test("the service's connection to an endpoint may take 3 seconds [D-25]", async () => {
    vi.useFakeTimers({ toFake: [...fakeTimers.toFake] });
    const endpointClient = createEndpointClient({ resolve: () => new Promise(() => undefined) });
    const call = endpointClient.send({
      method: "GET",
      baseAddress: "http://x.example",
      path: "/test",
      timeoutMs: 20_000,
    });
    // undici checks timers of more than a second every half second.
    expect(await hasEndedAfter(call, 2_400, 4_000)).toEqual([false, true]);
    expect(await call).toMatchObject({ ok: false, code: "connect_timeout" });
    vi.useRealTimers();
    await endpointClient.close();
  });

  /** Returns whether the call has ended after each of `timesMs`. */
  async function hasEndedAfter(call: Promise<unknown>, ...timesMs: number[]): Promise<boolean[]> {
    let hasEnded = false;
    const markEnded = () => {
      hasEnded = true;
    };
    call.then(markEnded, markEnded);
    let now = 0;
    const results: boolean[] = [];
    for (const time of timesMs) {
      await vi.advanceTimersByTimeAsync(time - now);
      now = time;
      results.push(hasEnded);
    }
    return results;
  }

  const fakeTimers = { toFake: ["setTimeout", "clearTimeout", "performance"] } as const;
  const unresponsiveService = {
    baseUrl: "https://service.example",
    apiKey: "key",
    fetch: () => new Promise<never>(() => undefined),
  };

  test("the client's attempts time out after 30 seconds and its calls after 90 [D-25] [interface: Limits 1]", async () => {
    vi.useFakeTimers({ toFake: [...fakeTimers.toFake] });
    const client = new OffersClient(unresponsiveService);
    expect(await hasEndedAfter(client.getOffer("a", { maxRetries: 0 }), 29_999, 30_000)).toEqual([false, true]);
    expect(await hasEndedAfter(client.getOffer("a", { maxRetries: 9 }), 89_999, 90_000)).toEqual([false, true]);
  });

  test("the client retries a read twice [D-50]", async () => {
    vi.useFakeTimers({ toFake: [...fakeTimers.toFake] });
    let attempts = 0;
    const fetch = async () => {
      attempts += 1;
      return new Response("", { status: 503 });
    };
    const call = new OffersClient({ ...unresponsiveService, fetch }).getOffer("a").safe();
    expect(await hasEndedAfter(call, 90_000)).toEqual([true]);
    expect(attempts).toBe(3);
  });

  test("the client waits for the time in Retry-After, up to 30 seconds [D-50]", async () => {
    vi.useFakeTimers({ toFake: [...fakeTimers.toFake] });
    const responses = [{ "Retry-After": "30" }, { "Retry-After": "31" }];
    const fetch = async () => new Response("", { status: 503, headers: responses.shift() ?? {} });
    const failure = new OffersClient({ ...unresponsiveService, fetch }).getOffer("a").catch((error: unknown) => error);
    expect(await hasEndedAfter(failure, 29_999, 30_000)).toEqual([false, true]);
    expect(await failure).toMatchObject({ attempts: 2, retryAfterMs: 31_000 });
  });

  test("the kit's handlers time out after 10 seconds [D-25]", async () => {
    let markStarted = (): void => undefined;
    const handlerStarted = new Promise<void>((resolve) => {
      markStarted = resolve;
    });
    const onWorkerAddedContact = () => {
      markStarted();
      return new Promise<void>(() => undefined);
    };
    const server = createServer(express().use(webhookRouter({ secret, onWorkerAddedContact }))).listen(0, "127.0.0.1");
    await once(server, "listening");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const headers = timestampDigest().sign({ secret, now: new Date() });
    const { port } = server.address() as AddressInfo;
    const outgoing = request({
      port,
      host: "127.0.0.1",
      path: "/contact/new/worker_amal",
      headers: { ...headers },
    }).end();
    const responded = once(outgoing, "response");
    await handlerStarted;
    expect(await hasEndedAfter(responded, 9_999)).toEqual([false]);
    await vi.advanceTimersByTimeAsync(1);
    const [response] = await responded;
    expect(response.statusCode).toBe(503);
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
});
