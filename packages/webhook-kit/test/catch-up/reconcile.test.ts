import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import {
  catchUp,
  type ReconcileOptions,
  type ResponseSource,
  reconcile,
  reconcileOnWebhook,
} from "../../src/catch-up.ts";
import { webhookHandler } from "../../src/fetch.ts";
import type { EventContext, WebhookEvent } from "../../src/index.ts";
import type { InboxUnderTest } from "../inbox/databases.ts";
import { sampleInboxes } from "../inbox/inboxes-under-test.ts";
import { createJsonHeaders, secret } from "../support/serve.ts";

/** Creates a service in which tests can change the workers' responses to offers. */
function createService() {
  const prefix = randomUUID();
  const offers = new Map<string, Map<string, string>>();
  const reads: string[] = [];
  return {
    id: (name: string) => `${prefix}_${name}`,
    reads,
    /** Sets a worker's response, and creates the offer and the recipient if necessary. */
    respond(name: string, workerId: string, response: string) {
      const recipients = offers.get(`${prefix}_${name}`) ?? new Map<string, string>();
      offers.set(`${prefix}_${name}`, recipients.set(workerId, response));
    },
    async getOffer(id: string) {
      reads.push(id);
      const recipients = offers.get(id);
      if (!recipients) throw Object.assign(new Error("no such offer"), { code: "not_found" });
      return { recipients: [...recipients].map(([workerId, response]) => ({ workerId, response })) };
    },
  };
}

/** Creates a receiver whose handler inserts rows in the same transaction as the inbox record. */
function createReceiver({ inbox, once, query }: InboxUnderTest, service: ReturnType<typeof createService>) {
  const handle = vi.fn(
    async (
      { offerId, workerId, response }: { offerId: string; workerId: string; response: string },
      context: EventContext,
    ) => {
      await once(context, [`${offerId} ${workerId} ${response}`]);
    },
  );
  const source: ResponseSource = { inbox, getOffer: service.getOffer, onWorkerOfferResponse: handle };
  return {
    source,
    handle,
    run: (offerIds: Iterable<string>, overrides: Partial<ReconcileOptions> = {}) =>
      reconcile({ ...source, offerIds, ...overrides }),
    /** Returns the sorted notes that the handler inserted for an offer, without the offer id. */
    readNotes: async (name: string) =>
      (await query("SELECT text FROM notes WHERE text LIKE $1 ORDER BY text", [`${service.id(name)} %`])).map(
        ({ text }) => String(text).slice(service.id(name).length + 1),
      ),
  };
}

const zeroSummary = { read: 0, gone: 0, failed: 0, known: 0, caughtUp: 0, waiting: 0, unknown: 0, requests: 0 };

describe.each(await sampleInboxes())("reconcile on $title", (underTest: InboxUnderTest) => {
  const setUp = () => {
    const service = createService();
    return { service, ...createReceiver(underTest, service) };
  };

  test("a response is handled once, and again only after it has changed [D-135]", async () => {
    const { service, run, readNotes, handle } = setUp();
    const ids = [service.id("a")];
    service.respond("a", "amal", "applied");
    service.respond("a", "ben", "none");
    expect(await run(ids)).toEqual({ ...zeroSummary, read: 1, caughtUp: 1, waiting: 1, requests: 2 });
    expect(await run(ids)).toEqual({ ...zeroSummary, read: 1, known: 1, waiting: 1, requests: 1 });
    service.respond("a", "amal", "rejected");
    service.respond("a", "ben", "applied");
    expect(await run(ids)).toMatchObject({ caughtUp: 2 });
    service.respond("a", "amal", "applied");
    expect(await run(ids)).toMatchObject({ caughtUp: 1, known: 1 });
    expect(await readNotes("a")).toEqual(["amal accepted", "amal accepted", "amal rejected", "ben accepted"]);
    expect(handle.mock.calls.map(([, { source }]) => source)).toEqual(Array(4).fill("reconciled"));
  });

  test("a change that is undone between two reads is not handled", async () => {
    const { service, run, readNotes } = setUp();
    service.respond("a", "amal", "applied");
    await run([service.id("a")]);
    service.respond("a", "amal", "rejected");
    service.respond("a", "amal", "applied");
    expect(await run([service.id("a")])).toMatchObject({ known: 1, caughtUp: 0 });
    expect(await readNotes("a")).toEqual(["amal accepted"]);
  });

  test("an unknown response is counted and not handled [D-135]", async () => {
    const { service, run, readNotes } = setUp();
    service.respond("a", "amal", "shortlisted");
    service.respond("a", "ben", "applied");
    expect(await run([service.id("a")])).toMatchObject({ unknown: 1, caughtUp: 1 });
    const toResponse = (word: string) => (word === "shortlisted" ? "accepted" : undefined);
    expect(await run([service.id("a")], { toResponse })).toMatchObject({ unknown: 1, caughtUp: 1 });
    expect(await readNotes("a")).toEqual(["amal accepted", "ben accepted"]);
  });

  test("a late retry of a webhook handles the current response instead of the response in the webhook [D-135]", async () => {
    const { service, source, run, readNotes } = setUp();
    const offerId = service.id("a");
    const receiver = webhookHandler({ secret, onWorkerOfferResponse: reconcileOnWebhook(source) });
    const send = async (response: string) => {
      const body = { offerId, workerId: "amal", response, attempt: randomUUID() };
      const request = { method: "POST", headers: createJsonHeaders(), body: JSON.stringify(body) };
      return (await receiver(new Request("https://us.example/offer/response", request))).status;
    };
    service.respond("a", "amal", "applied");
    expect(await send("accepted")).toBe(200);
    service.respond("a", "amal", "rejected");
    expect(await run([offerId])).toMatchObject({ caughtUp: 1 });
    // Sends the first webhook again, and the webhook for the change that reconcile has already handled.
    expect([await send("accepted"), await send("rejected")]).toEqual([200, 200]);
    expect(await readNotes("a")).toEqual(["amal accepted", "amal rejected"]);
    expect(await run([offerId])).toMatchObject({ known: 1, caughtUp: 0 });
  });

  test("when a handler throws, its rows and the last response are rolled back, and the next run handles the response", async () => {
    const { service, source, run, readNotes } = setUp();
    service.respond("a", "amal", "applied");
    const handleAndFail: ResponseSource["onWorkerOfferResponse"] = async (event, context) => {
      await source.onWorkerOfferResponse?.(event, context);
      throw new Error("no planning today");
    };
    await expect(run([service.id("a")], { onWorkerOfferResponse: handleAndFail })).rejects.toThrow("no planning today");
    expect(await readNotes("a")).toEqual([]);
    expect(await run([service.id("a")])).toMatchObject({ caughtUp: 1 });
    expect(await readNotes("a")).toEqual(["amal accepted"]);
  });

  test("concurrent runs and webhooks handle each change once", async () => {
    const { service, source, run, readNotes } = setUp();
    const names = ["a", "b", "c"];
    const onWebhook = reconcileOnWebhook(source);
    const context = (): EventContext => ({
      source: "webhook",
      unverifiedDeliveryId: undefined,
      deduplicationKey: undefined,
      signal: new AbortController().signal,
      receivedAt: new Date(),
    });
    for (const response of ["applied", "rejected"]) {
      for (const name of names) service.respond(name, "amal", response);
      await Promise.all([
        ...Array.from({ length: 2 }, () => run(names.map(service.id), { concurrency: 2 })),
        ...names.map((name) =>
          onWebhook({ offerId: service.id(name), workerId: "amal", response: "accepted" }, context()),
        ),
      ]);
    }
    for (const name of names) expect(await readNotes(name)).toEqual(["amal accepted", "amal rejected"]);
  });

  test("a missing offer is counted, whether getOffer throws or returns undefined", async () => {
    const { service, run } = setUp();
    expect(await run([service.id("x")])).toEqual({ ...zeroSummary, gone: 1, requests: 1 });
    expect(await run(["y"], { getOffer: async () => undefined })).toEqual({ ...zeroSummary, gone: 1, requests: 1 });
  });

  test("the first failure ends a run and closes the iterable, but with onFailure the run continues", async () => {
    const { service, run, readNotes } = setUp();
    for (const name of ["a", "b", "c"]) service.respond(name, "amal", "applied");
    const getOffer = async (id: string) => {
      if (id === service.id("b")) throw new Error("503");
      return service.getOffer(id);
    };
    let isClosed = false;
    function* ids() {
      try {
        for (const name of ["a", "b", "c"]) yield service.id(name);
      } finally {
        isClosed = true;
      }
    }
    await expect(run(ids(), { getOffer, concurrency: 1 })).rejects.toThrow("503");
    expect([isClosed, await readNotes("c")]).toEqual([true, []]);
    const failures: string[] = [];
    const onFailure = ({ offerId }: { offerId: string }) => failures.push(offerId);
    expect(await run(ids(), { getOffer, onFailure })).toMatchObject({ read: 2, failed: 1, caughtUp: 1, known: 1 });
    expect(failures).toEqual([service.id("b")]);
  });

  test("an aborted run does not start further offers, finishes those in progress, and rejects with the reason", async () => {
    const { service, run, readNotes } = setUp();
    for (const name of ["a", "b"]) service.respond(name, "amal", "applied");
    const controller = new AbortController();
    const getOffer = async (id: string) => {
      controller.abort(new Error("deploying"));
      await pause(5);
      return service.getOffer(id);
    };
    const offerIds = [service.id("a"), service.id("b")];
    await expect(run(offerIds, { getOffer, signal: controller.signal, concurrency: 1 })).rejects.toThrow("deploying");
    expect([await readNotes("a"), await readNotes("b")]).toEqual([["amal accepted"], []]);
  });

  test("onProgress gets each offer, with the counts so far", async () => {
    const { service, run } = setUp();
    for (const name of ["a", "b"]) service.respond(name, "amal", "applied");
    const progress: unknown[] = [];
    await run([service.id("a"), service.id("b")], {
      concurrency: 1,
      onProgress: ({ offerId, summary }) => progress.push([offerId, summary.caughtUp]),
    });
    expect(progress).toEqual([
      [service.id("a"), 1],
      [service.id("b"), 2],
    ]);
  });

  test("onEvent gets the event with its source and a deduplication key", async () => {
    const { service } = setUp();
    service.respond("a", "amal", "rejected");
    const events: WebhookEvent[] = [];
    await reconcile({
      inbox: underTest.inbox,
      getOffer: service.getOffer,
      offerIds: [service.id("a")],
      onEvent: (event) => events.push(event),
    });
    expect(events).toEqual([
      {
        type: "WorkerOfferResponse",
        data: { offerId: service.id("a"), workerId: "amal", response: "rejected" },
        source: "reconciled",
        receivedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        deduplicationKey: expect.any(String),
      },
    ]);
  });

  test("the response log is separate for each tenant", async () => {
    const { service, run } = setUp();
    service.respond("a", "amal", "applied");
    expect(await run([service.id("a")], { tenant: "harbour" })).toMatchObject({ caughtUp: 1 });
    expect(await run([service.id("a")], { tenant: "market" })).toMatchObject({ caughtUp: 1 });
    expect(await run([service.id("a")], { tenant: "market" })).toMatchObject({ known: 1 });
  });

  test("the response log does not contain ids, and deleteExpired does not delete it", async () => {
    const { service, run } = setUp();
    service.respond("a", "worker_amal", "applied");
    await run([service.id("a")]);
    await underTest.inbox.deleteExpired();
    expect(await run([service.id("a")])).toMatchObject({ known: 1 });
    expect(JSON.stringify(await underTest.query("SELECT * FROM offers_inbox"))).not.toMatch(/amal/);
  });
});

describe.each(await sampleInboxes({ keepResponsesMs: 1 }))("with keepResponsesMs of 1 on $title", (underTest) => {
  test("deleteExpired empties the response log", async () => {
    const service = createService();
    const { run } = createReceiver(underTest, service);
    service.respond("a", "amal", "applied");
    await run([service.id("a")]);
    await pause(20);
    await underTest.inbox.deleteExpired();
    expect(await run([service.id("a")])).toMatchObject({ caughtUp: 1 });
  });
});

test.each([
  ["no handler", { onWorkerOfferResponse: undefined }, /needs one of your receiver's handlers/],
  ["a concurrency of 0", { concurrency: 0 }, /concurrency/],
  ["a fractional concurrency", { concurrency: 1.5 }, /concurrency/],
  ["a rate of 0", { requestsPerSecond: 0 }, /requestsPerSecond/],
  ["a rate that is not a number", { requestsPerSecond: Number.NaN }, /requestsPerSecond/],
  ["a misspelt option", { onFailed: () => undefined }, /onFailed; did you mean onFailure/],
  ["one id in place of a list", { offerIds: "x" }, /offerIds must be an array/],
  ["no ids", { offerIds: undefined }, /offerIds must be an array/],
  ["ids that are not iterable", { offerIds: { a: true } }, /offerIds must be an array/],
  ["a getOffer that is not a function", { getOffer: { id: "a" } }, /getOffer must be a function/],
  ["no inbox", { inbox: undefined }, /inbox must be an inbox/],
  ["a database in place of an inbox", { inbox: { query: () => undefined } }, /inbox must be an inbox/],
  ["an onProgress that is not a function", { onProgress: "log" }, /onProgress must be a function/],
])("reconcile rejects options with %s before it reads an offer", async (_description, invalidOptions, message) => {
  const getOffer = vi.fn();
  const inbox = { lastResponses: { find: vi.fn(), update: vi.fn() } };
  const options = { inbox, getOffer, offerIds: ["a"], onWorkerOfferResponse: () => undefined, ...invalidOptions };
  await expect(reconcile(options as ReconcileOptions)).rejects.toMatchObject({
    code: "invalid_option",
    message: expect.stringMatching(message),
  });
  expect(getOffer).not.toHaveBeenCalled();
});

test.each([undefined, null, "offer_1", () => undefined])("%j in place of options is rejected", async (options) => {
  const expected = {
    code: "invalid_option",
    message: expect.stringMatching(/takes an options object|needs one of your/),
  };
  for (const run of [reconcile, catchUp] as const) await expect(run(options as never)).rejects.toMatchObject(expected);
  expect(() => reconcileOnWebhook(options as never)).toThrow(expect.objectContaining(expected));
});
