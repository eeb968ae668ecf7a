import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CollectedSpan, Collector } from "../../examples/journey/src/tracing/collector.ts";
import { startTracing } from "../../examples/journey/src/tracing/start-tracing.ts";
import {
  anyStore,
  type StoreUnderTest,
  storesUnderTest,
  type TestDatabase,
} from "../../examples/platform/test/support/stores/stores.ts";
import { createDatabase as createReceiversDatabase, isPostgresRunning } from "../../scripts/test-database.ts";
import { type SystemOptions, TracedSystem, toTrees } from "./traced-system.ts";

let collector: Collector;
beforeAll(async () => {
  collector = await Collector.start();
  startTracing({ service: "hirer", collectorUrl: collector.url });
});
afterAll(() => collector.close());

/**
 * Starts the system on a store before the tests of this `describe`, and removes it after them.
 *
 * @returns an object whose `system` is set before the first test
 */
function useSystem({ createDatabase }: StoreUnderTest, options: Pick<SystemOptions, "retrySchedule" | "failsFirst">) {
  const opened = {} as { system: TracedSystem };
  let database: TestDatabase;
  let receivers: Awaited<ReturnType<typeof createReceiversDatabase>>;
  beforeAll(async () => {
    [database, receivers] = await Promise.all([createDatabase(), createReceiversDatabase()]);
    opened.system = await TracedSystem.start({ collector, database, databaseUrl: receivers.url, ...options });
  });
  afterAll(async () => {
    await opened.system?.close();
    await database.remove();
    await receivers.drop();
  });
  return opened;
}

const waitForSpans = async (name: string, traceId: string, count = 1): Promise<void> => {
  const matches = (span: CollectedSpan) => span.name === name && span.traceId === traceId;
  await expect.poll(() => collector.spans.filter(matches).length, { timeout: 120_000 }).toBe(count);
};

const [stores, someStores] = [await storesUnderTest(), await anyStore()];

describe.runIf(await isPostgresRunning())("one trace", () => {
  describe.each(stores)("with a platform on $title", (store) => {
    const opened = useSystem(store, { retrySchedule: "3s", failsFirst: true });

    test("continues from createOffer to the queue's worker, even if the platform is killed between two attempts", async () => {
      const { system } = opened;
      const { id, traceId } = await system.createOffer();
      await waitForSpans("push notification", traceId);
      expect(await system.apply(id)).toBe(204);
      await waitForSpans("POST /offer/response", traceId);
      await system.kill("platform");
      await system.startPlatform();
      await waitForSpans("save event", traceId);
      await waitForSpans("process WorkerOfferResponse", traceId);
      await waitForSpans("POST /offer/response", traceId, 2);
      await collector.waitUntilQuiet();

      const spans = collector.spans.filter((span) => span.traceId === traceId);
      expect(toTrees(spans)).toEqual([
        [
          "hirer CreateOffer 201",
          [
            "platform POST /offer 201",
            ["platform push notification"],
            [
              "platform worker response",
              ["platform POST /offer/response 500", ["receiver webhook WorkerOfferResponse 500"]],
              [
                "platform POST /offer/response 200",
                [
                  "receiver webhook WorkerOfferResponse 200",
                  // From pg-boss.
                  ["receiver send webhooks"],
                  ["worker process WorkerOfferResponse", ["worker save event"]],
                ],
              ],
            ],
          ],
        ],
      ]);
      expect(spans).toHaveLength(11);
      // Each attempt was made by a different process.
      const attempts = spans.filter(({ name }) => name === "POST /offer/response");
      expect(attempts.map(({ pid }) => system.killed.has(pid))).toEqual([true, false]);
      // The worker's own request has a separate trace, which the response links to.
      const workerRequest = collector.spans.findLast(({ name }) => /^POST .*apply$/.test(name));
      const response = spans.find(({ name }) => name === "worker response");
      expect(response?.links).toEqual([
        expect.objectContaining({ traceId: workerRequest?.traceId, spanId: workerRequest?.spanId }),
      ]);
      expect(workerRequest?.traceId).not.toBe(traceId);
    });
  });

  describe.each(someStores)("at a receiver with a platform on $title", (store) => {
    const opened = useSystem(store, { retrySchedule: "1s,1s,1s" });

    /**
     * Delivers an event to a new receiver.
     *
     * @returns the spans of the platform's attempt, the HTTP server if instrumented, the kit and the worker
     */
    const deliverTo = async (...receiver: Parameters<TracedSystem["startReceiver"]>) => {
      const { system } = opened;
      await system.kill("receiver");
      await system.startReceiver(...receiver);
      const spanCountBefore = collector.spans.length;
      const { id } = await system.createOffer();
      await system.apply(id);
      const findNewSpan = (name: string) => collector.spans.slice(spanCountBefore).find((span) => span.name === name);
      await expect.poll(() => findNewSpan("process WorkerOfferResponse"), { timeout: 120_000 }).toBeDefined();
      await collector.waitUntilQuiet();
      // The kind of a server span is 2.
      const server = collector.spans
        .slice(spanCountBefore)
        .find(({ service, kind }) => service === "receiver" && kind === 2);
      return {
        attempt: findNewSpan("POST /offer/response"),
        server,
        webhook: findNewSpan("webhook WorkerOfferResponse"),
        work: findNewSpan("process WorkerOfferResponse"),
      };
    };

    test("HTTP instrumentation that continues the sender's trace adds the server's span to that one trace", async () => {
      const { attempt, server, webhook, work } = await deliverTo("parent", "sender's trace");
      expect(server?.name).toBe("POST");
      expect(server?.parentSpanId).toBe(attempt?.spanId);
      expect(webhook?.parentSpanId).toBe(server?.spanId);
      expect(webhook?.links ?? []).toEqual([]);
      expect(work?.traceId).toBe(attempt?.traceId);
    });

    test("the option link creates two linked traces", async () => {
      const { attempt, webhook, work } = await deliverTo("link");
      expect(webhook?.parentSpanId).toBeUndefined();
      expect(webhook?.links).toEqual([expect.objectContaining({ traceId: attempt?.traceId, spanId: attempt?.spanId })]);
      expect(webhook?.traceId).not.toBe(attempt?.traceId);
      expect([work?.traceId, work?.parentSpanId]).toEqual([webhook?.traceId, webhook?.spanId]);
    });

    test("the option link creates two linked traces even if HTTP instrumentation starts the receiver's trace", async () => {
      const { attempt, server, webhook, work } = await deliverTo("link", "own trace");
      expect([server?.name, server?.parentSpanId]).toEqual(["POST", undefined]);
      expect(webhook?.parentSpanId).toBe(server?.spanId);
      expect(webhook?.links).toEqual([expect.objectContaining({ traceId: attempt?.traceId, spanId: attempt?.spanId })]);
      expect(webhook?.traceId).not.toBe(attempt?.traceId);
      expect(work?.traceId).toBe(webhook?.traceId);
    });
  });
});
