import { setTimeout as pause } from "node:timers/promises";
import express from "express";
import { describe, expect, test, vi } from "vitest";
import type { Deduplication } from "../../src/deduplication/deduplication.ts";
import { webhookRouter } from "../../src/express.ts";
import type { ReceiverOptions } from "../../src/options/options.ts";
import { captureConsole } from "../support/capture-console.ts";
import { createSignedHeaders, quietOptions, secret, serve } from "../support/serve.ts";
import { deduplicationsUnderTest } from "./deduplication-under-test.ts";

captureConsole();

// printf '%s' '2026-11-20T09:30Z5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52' | openssl dgst -sha256
const minuteHeaders = {
  Timestamp: "2026-11-20T09:30Z",
  Authorization: "hmac c7e61ef1d6eb20b5b5aacb327f4ad923cd3b8f1e615620a360915aa6f2f029a8",
};
const duringMinute = () => new Date("2026-11-20T09:30:40.000Z");

interface ResponseSummary {
  readonly status: number;
  readonly retryAfter: string | null;
}

/** Mounts a receiver, and returns a function that sends an event to it. */
async function mount(options: Partial<ReceiverOptions>) {
  const { url } = await serve(express().use(webhookRouter({ ...quietOptions, secret, ...options })));
  return async (event: unknown, headers: Record<string, string> = minuteHeaders): Promise<ResponseSummary> => {
    const response = await fetch(`${url}/offer/response`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(event),
    });
    await response.text();
    return { status: response.status, retryAfter: response.headers.get("retry-after") };
  };
}

const offerResponse = (workerId: string, response = "accepted") => ({ offerId: "offer_4f1c2a", workerId, response });

/** Wraps a store. `waitForOutcomes` waits until the store has recorded at least this many handler outcomes. */
function observeOutcomes(inner: Deduplication) {
  let storedCount = 0;
  const deduplication: Deduplication = {
    acquire: inner.acquire,
    async complete(...args) {
      await inner.complete(...args);
      storedCount += 1;
    },
    async release(...args) {
      await inner.release(...args);
      storedCount += 1;
    },
  };
  return {
    deduplication,
    waitForOutcomes: (minimum: number) =>
      vi.waitFor(() => expect(storedCount).toBeGreaterThanOrEqual(minimum), { timeout: 60_000 }),
  };
}

async function retryWhileInProgress(request: () => Promise<ResponseSummary>): Promise<void> {
  while ((await request()).status === 409) await pause(10);
}

/** Creates a handler whose runs do not end until the test finishes or fails them. */
function createPendingHandler() {
  const runs: { finish(): void; fail(error: Error): void }[] = [];
  const handler = () => new Promise<void>((finish, fail) => void runs.push({ finish, fail }));
  const waitForRuns = (count: number) => vi.waitFor(() => expect(runs.length).toBe(count), { timeout: 60_000 });
  return { runs, handler, waitForRuns };
}

describe.each(await deduplicationsUnderTest())("deduplication in $title", ({ open }) => {
  test("hundreds of events with the same signature are each handled once", async () => {
    const handled: string[] = [];
    const onWorkerOfferResponse = ({ workerId }: { workerId: string }) => handled.push(workerId);
    const send = await mount({ deduplication: await open(), now: duringMinute, onWorkerOfferResponse });
    const workers = Array.from({ length: 300 }, (_, index) => `worker_${String(index).padStart(4, "0")}`);
    for (let round = 0; round < 2; round += 1) {
      const responses = await Promise.all(workers.map((workerId) => send(offerResponse(workerId))));
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(300);
    }
    expect(handled.sort()).toEqual(workers);
  });

  test("when a worker accepts, rejects and accepts again within one signed minute, all three are handled", async () => {
    const handled: string[] = [];
    const onWorkerOfferResponse = ({ response }: { response: string }) => handled.push(response);
    const send = await mount({ deduplication: await open(), now: duringMinute, onWorkerOfferResponse });
    for (const response of ["accepted", "rejected", "rejected", "accepted", "accepted"])
      expect(await send(offerResponse("amal", response))).toMatchObject({ status: 200 });
    expect(handled).toEqual(["accepted", "rejected", "accepted"]);
  });

  test("of a hundred simultaneous identical requests, one is handled and the others must retry", async () => {
    const { runs, handler, waitForRuns } = createPendingHandler();
    const send = await mount({ deduplication: await open(), now: duringMinute, onWorkerOfferResponse: handler });
    const requests = Array.from({ length: 100 }, () => send(offerResponse("amal")));
    await waitForRuns(1);
    let conflictCount = 0;
    for (const request of requests)
      void request.then(({ status }) => {
        if (status === 409) conflictCount += 1;
      });
    await vi.waitFor(() => expect(conflictCount).toBe(99), { timeout: 60_000 });
    runs[0]?.finish();
    const responses = await Promise.all(requests);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, retryAfter } of responses)
      if (status === 409) expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
    expect(await send(offerResponse("amal"))).toEqual({ status: 200, retryAfter: null });
    expect(runs).toHaveLength(1);
  });

  describe("a handler that outlives its lease", () => {
    /** Lets the first run outlive its timeout and its lease, so that the same request starts a second run. */
    async function outliveLease() {
      const { runs, handler, waitForRuns } = createPendingHandler();
      const { deduplication, waitForOutcomes } = observeOutcomes(await open());
      const send = await mount({ deduplication, handlerTimeoutMs: 200, onWorkerOfferResponse: handler });
      const headers = createSignedHeaders();
      const request = () => send(offerResponse("amal"), headers);
      expect(await request()).toMatchObject({ status: 503 });
      const secondResponse = retryWhileInProgress(request);
      await waitForRuns(2);
      const [olderRun, newerRun] = runs as [(typeof runs)[0], (typeof runs)[0]];
      return { runs, waitForRuns, waitForOutcomes, request, secondResponse, olderRun, newerRun };
    }

    test("a handler that outlives its lease and fails does not undo a newer result", async () => {
      const { runs, waitForOutcomes, request, secondResponse, olderRun, newerRun } = await outliveLease();
      newerRun.finish();
      await secondResponse;
      await waitForOutcomes(1);
      olderRun.fail(new Error("late"));
      await waitForOutcomes(2);
      expect(await request()).toMatchObject({ status: 200 });
      expect(runs).toHaveLength(2);
    });

    test("a handler that outlives its lease does not acknowledge an event that a newer run is still handling", async () => {
      const { runs, waitForRuns, waitForOutcomes, request, secondResponse, olderRun, newerRun } = await outliveLease();
      olderRun.finish();
      await waitForOutcomes(1);
      expect(await request()).toMatchObject({ status: 409 });
      newerRun.fail(new Error("database"));
      await secondResponse;
      await waitForOutcomes(2);
      const third = request();
      await waitForRuns(3);
      runs[2]?.finish();
      await third;
    });
  });
});
