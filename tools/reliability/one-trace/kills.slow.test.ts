import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Collector } from "../../../examples/journey/src/tracing/collector.ts";
import { startTracing } from "../../../examples/journey/src/tracing/start-tracing.ts";
import { storesUnderTest } from "../../../examples/platform/test/support/stores/stores.ts";
import { createDatabase as createReceiversDatabase, findPostgres } from "../../test-database.ts";
import { type Service, TracedSystem } from "./traced-system.ts";

/** Of each run. Set the variable for a longer one. */
const kills = Number(process.env.TRACE_KILLS || 30);
/** The processes that are killed, in turn. */
const victims: readonly Service[] = ["platform", "receiver", "platform", "worker"];
/** Spans that are part of an offer's trace: each needs a parent. */
const continued = [
  "POST /offer",
  "push notification",
  "worker response",
  "POST /offer/response",
  "webhook WorkerOfferResponse",
  "process WorkerOfferResponse",
  "save event",
];

let collector: Collector;
beforeAll(async () => {
  collector = await Collector.start();
  startTracing({ service: "hirer", collector: collector.address });
});
afterAll(() => collector.close());

const stores = await storesUnderTest();

describe.runIf(await findPostgres()).each(stores)("processes killed with kill -9, on $title", (store) => {
  test(`leave no span without a parent, but for children of what was killed, in ${kills} kills`, {
    timeout: 180_000 + kills * 30_000,
  }, async () => {
    const [database, receivers] = await Promise.all([store.createDatabase(), createReceiversDatabase()]);
    const retrySchedule = "300ms,500ms,1s,1s,2s,2s,5s,5s";
    const before = collector.spans.length;
    const system = await TracedSystem.start({ collector, database, databaseUrl: receivers.url, retrySchedule });
    onTestFinished(async () => {
      await system.close();
      await database.remove();
      await receivers.drop();
    });

    const applied: string[] = [];
    let isOver = false;
    const act = async (): Promise<void> => {
      const { id, traceId } = await system.createOffer();
      await sleep(Math.random() * 100);
      if ((await system.apply(id)) === 204) applied.push(traceId);
    };
    const keepActing = async (): Promise<void> => {
      while (!isOver)
        // The platform may die during a call.
        await act().catch(() => sleep(50));
    };
    const acted = Promise.all([keepActing(), keepActing(), keepActing()]);
    for (let killed = 0; killed < kills; killed += 1) {
      const enough = applied.length + 3;
      await expect.poll(() => applied.length, { timeout: 120_000 }).toBeGreaterThan(enough);
      await sleep(Math.random() * 200);
      await system.restart(victims[killed % victims.length] as Service);
    }
    isOver = true;
    await acted;

    const unsaved = () => {
      const saved = new Set(
        system.startedSpans.filter(({ name }) => name === "save event").map((span) => span.traceId),
      );
      return applied.filter((traceId) => !saved.has(traceId));
    };
    await expect.poll(unsaved, { timeout: 120_000, interval: 500 }).toEqual([]);
    await collector.settled();
    const spans = collector.spans.slice(before);
    const found = system.findOrphans(spans);
    console.log(
      `${store.title}: ${kills} kills, ${applied.length} responses, ${spans.length} spans, ${found.killed.length} children of killed spans, ${found.orphans.length} orphans`,
    );
    expect(found.orphans).toEqual([]);
    expect(spans.filter(({ name, parentSpanId }) => !parentSpanId && continued.includes(name))).toEqual([]);
  });
});
