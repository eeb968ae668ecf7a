import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { openSignals, type Signals, type SignalsOptions } from "../../src/store/signals.ts";
import type { ReceivedSignal, Signal, Store } from "../../src/store/store.ts";
import { eventually } from "../support/eventually.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { useDatabase, useStore } from "../support/use-opened.ts";

const stores = await storesUnderTest();
const offerSignal: Signal = { topic: "offer", organisationId: "org_a" };
const deliverySignal: Signal = { topic: "delivery", organisationId: "org_a" };

describe.each(stores)("signals on $title", ({ createDatabase }) => {
  const store = useStore({ createDatabase });
  let signals: Signals;
  const errors: unknown[] = [];
  beforeAll(async () => {
    signals = openSignals(store, { onError: (error) => errors.push(error) });
  });
  afterAll(async () => {
    await signals.stop();
  });

  /** Collects signals, except the "everything" that a subscriber gets when its process starts to listen. */
  const collectSignals = (): { received: ReceivedSignal[]; end: () => void } => {
    const received: ReceivedSignal[] = [];
    const end = signals.subscribe((signal) => {
      if (signal !== "everything") received.push(signal);
    });
    return { received, end };
  };

  test("signals reach their own process immediately and in order until the subscription ends", async () => {
    const [one, other] = [collectSignals(), collectSignals()];
    signals.publish([offerSignal, deliverySignal]);
    expect(one.received).toEqual([offerSignal, deliverySignal]);
    one.end();
    signals.publish(offerSignal);
    expect([one.received.length, other.received.length]).toEqual([2, 3]);
    // A process does not receive its own NOTIFY.
    await setTimeout(500);
    expect([one.received.length, other.received.length]).toEqual([2, 3]);
    other.end();
  });

  test("signals reach the other listeners when one listener throws, and the error is reported", () => {
    const end = signals.subscribe(() => {
      throw new Error("listener failed");
    });
    const { received, end: endOther } = collectSignals();
    signals.publish(offerSignal);
    expect(received).toEqual([offerSignal]);
    expect(errors.splice(0)).toMatchObject([{ message: "listener failed" }]);
    end();
    endOther();
  });
});

describe.each(stores.filter(({ title }) => title.startsWith("PostgreSQL")))(
  "signals between processes on $title",
  ({ createDatabase }) => {
    const database = useDatabase(createDatabase);
    const store = useStore({ database });
    const cleanups: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
    });

    interface Process {
      signals: Signals;
      received: ReceivedSignal[];
      errors: unknown[];
    }

    /** Opens the signals of one process, and waits until it listens. */
    async function openProcess(wrapStore: (store: Store) => Store = (store) => store): Promise<Process> {
      const processStore = wrapStore(await openStore(database.options));
      const [received, errors]: [ReceivedSignal[], unknown[]] = [[], []];
      const options: SignalsOptions = { onError: (error) => errors.push(error) };
      const signals = openSignals(processStore, options);
      signals.subscribe((signal) => void received.push(signal));
      cleanups.push(() => processStore.close(), signals.stop);
      await eventually("the process listens", () => received.length > 0);
      expect(received.splice(0)).toEqual(["everything"]);
      return { signals, received, errors };
    }
    /** Collects the payload of every NOTIFY. */
    async function collectPayloads(): Promise<string[]> {
      const client = new pg.Client({ connectionString: database.options.databaseUrl });
      const payloads: string[] = [];
      client.on("notification", ({ payload = "" }) => payloads.push(payload));
      await client.connect();
      await client.query("listen offers_signals");
      cleanups.push(() => client.end());
      return payloads;
    }
    /** Terminates the listening connections. */
    const terminateListeners = () =>
      store.execute(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'offers-platform signals'`);

    test("signals reach every other process once", async () => {
      const [one, two, three] = [await openProcess(), await openProcess(), await openProcess()];
      one.signals.publish([offerSignal, { topic: "notification", workerIds: ["w1", "w2"] }]);
      two.signals.publish({ topic: "mail" });
      await eventually("all processes received the signals", () =>
        [one, two, three].every(({ received }) => received.length >= 3),
      );
      await setTimeout(300);
      for (const { received, errors } of [one, two, three]) {
        const topics = received.map((signal) => signal !== "everything" && signal.topic);
        expect(topics.toSorted()).toEqual(["mail", "notification", "offer"]);
        expect(errors).toEqual([]);
      }
      expect(three.received).toContainEqual({ topic: "notification", workerIds: ["w1", "w2"] });
    });

    test("signals are sent at most twenty times a second, combined in between, and none is lost", async () => {
      const [one, two, payloads] = [await openProcess(), await openProcess(), await collectPayloads()];
      const startedAt = performance.now();
      for (let index = 0; index < 200; index += 1) {
        one.signals.publish({ topic: "offer", organisationId: `org_${index % 20}` });
        one.signals.publish(deliverySignal);
        await setTimeout(2);
      }
      one.signals.publish({ topic: "mail", organisationId: "last" });
      const isLast = (signal: ReceivedSignal): boolean => signal !== "everything" && signal.organisationId === "last";
      await eventually("the last signal arrives", () => two.received.some(isLast));
      const periods = Math.ceil((performance.now() - startedAt) / 50);
      expect(payloads.length).toBeLessThanOrEqual(periods + 1);
      const organisations = two.received.map(
        (signal) => signal !== "everything" && signal.topic === "offer" && signal.organisationId,
      );
      expect(new Set(organisations.filter((signal) => signal !== false)).size).toBe(20);
      expect(two.received).not.toContain("everything");
      expect(two.received.length).toBeLessThan(400);
    });

    test('signals become "everything" when they refer to more organisations than fit into a payload', async () => {
      const [one, two] = [await openProcess(), await openProcess()];
      one.signals.publish(
        Array.from(
          { length: 300 },
          (_, index): Signal => ({ topic: "delivery", organisationId: `organisation_${index}` }),
        ),
      );
      await eventually("the signal arrives", () => two.received.length > 0);
      expect(two.received).toEqual(["everything"]);
      expect([one.received.length, one.errors]).toEqual([300, []]);
    });

    test('a process whose connection was lost receives "everything", and later signals as usual [D-82]', async () => {
      const [one, two] = [await openProcess(), await openProcess()];
      expect((await terminateListeners()).rows).toHaveLength(2);
      for (const { received } of [one, two])
        await eventually("the process listens again", () => received.includes("everything"));
      for (const { errors } of [one, two]) expect(errors).toMatchObject([{ code: "57P01" }]);
      one.signals.publish(offerSignal);
      two.signals.publish(deliverySignal);
      await eventually(
        "the first process receives both signals",
        () => one.received.includes("everything") && one.received.length > 2,
      );
      await eventually("the second process receives both signals", () => two.received.length > 2);
      expect(one.received).toEqual(["everything", offerSignal, deliverySignal]);
      expect(two.received.slice(0, 2)).toEqual(["everything", deliverySignal]);
      expect(two.received.slice(2)).toEqual([offerSignal]);
    });

    test("signals that could not be sent are sent again, and the failure is reported without affecting callers", async () => {
      let remainingFailures = 2;
      const failing = await openProcess((processStore) => ({
        ...processStore,
        execute(text, values) {
          if (!text.includes("pg_notify") || remainingFailures === 0) return processStore.execute(text, values);
          remainingFailures -= 1;
          return Promise.reject(new Error("away"));
        },
      }));
      const two = await openProcess();
      failing.signals.publish(offerSignal);
      failing.signals.publish(deliverySignal);
      expect(failing.received).toEqual([offerSignal, deliverySignal]);
      await eventually("both signals arrive", () => two.received.length === 2);
      expect(failing.errors).toMatchObject([{ message: "away" }, { message: "away" }]);
    });

    test("signals are sent when their process stops, which then receives no more", async () => {
      const [one, two] = [await openProcess(), await openProcess()];
      for (const signal of [offerSignal, deliverySignal]) {
        one.signals.publish(signal);
        await setTimeout(5);
      }
      await one.signals.stop();
      await eventually("both signals arrive", () => two.received.length === 2);
      two.signals.publish({ topic: "mail" });
      await setTimeout(300);
      expect(one.received).toEqual([offerSignal, deliverySignal]);
    });
  },
);
