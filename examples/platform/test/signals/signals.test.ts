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
const offer: Signal = { topic: "offer", organisationId: "org_a" };
const delivery: Signal = { topic: "delivery", organisationId: "org_a" };

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

  /** Collects signals, except the one that a listener gets when the connection is made. */
  const hear = (): { heard: ReceivedSignal[]; end: () => void } => {
    const heard: ReceivedSignal[] = [];
    return { heard, end: signals.subscribe((each) => void (each === "everything" || heard.push(each))) };
  };

  test("reach their own process immediately and in order until the subscription ends", async () => {
    const [one, other] = [hear(), hear()];
    signals.publish([offer, delivery]);
    expect(one.heard).toEqual([offer, delivery]);
    one.end();
    signals.publish(offer);
    expect([one.heard.length, other.heard.length]).toEqual([2, 3]);
    // A process does not receive its own NOTIFY.
    await setTimeout(500);
    expect([one.heard.length, other.heard.length]).toEqual([2, 3]);
    other.end();
  });

  test("reach the other listeners when one throws, and the error is reported", () => {
    const end = signals.subscribe(() => {
      throw new Error("deaf");
    });
    const { heard, end: endOther } = hear();
    signals.publish(offer);
    expect(heard).toEqual([offer]);
    expect(errors.splice(0)).toMatchObject([{ message: "deaf" }]);
    end();
    endOther();
  });
});

describe.each(stores.filter(({ title }) => title.startsWith("PostgreSQL")))(
  "signals between processes on $title",
  ({ createDatabase }) => {
    const database = useDatabase(createDatabase);
    const store = useStore({ database });
    const opened: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const close of opened.splice(0).reverse()) await close();
    });

    interface Process {
      signals: Signals;
      heard: ReceivedSignal[];
      errors: unknown[];
    }

    /** Opens the signals of one process, and waits until it listens. */
    async function openProcess(change: (own: Store) => Store = (own) => own): Promise<Process> {
      const own = change(await openStore(database.options));
      const [heard, errors]: [ReceivedSignal[], unknown[]] = [[], []];
      const options: SignalsOptions = { onError: (error) => errors.push(error) };
      const signals = openSignals(own, options);
      signals.subscribe((each) => void heard.push(each));
      opened.push(() => own.close(), signals.stop);
      await eventually("it listens", () => heard.length > 0);
      expect(heard.splice(0)).toEqual(["everything"]);
      return { signals, heard, errors };
    }
    /** Collects every NOTIFY. */
    async function tap(): Promise<string[]> {
      const client = new pg.Client({ connectionString: database.options.databaseUrl });
      const payloads: string[] = [];
      client.on("notification", ({ payload = "" }) => payloads.push(payload));
      await client.connect();
      await client.query("listen offers_signals");
      opened.push(() => client.end());
      return payloads;
    }
    /** Closes the listening connections. */
    const cut = () =>
      store.execute(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'offers-platform signals'`);

    test("reach every other process once", async () => {
      const [one, two, three] = [await openProcess(), await openProcess(), await openProcess()];
      one.signals.publish([offer, { topic: "notification", workerIds: ["w1", "w2"] }]);
      two.signals.publish({ topic: "mail" });
      await eventually("all heard", () => [one, two, three].every(({ heard }) => heard.length >= 3));
      await setTimeout(300);
      for (const { heard, errors } of [one, two, three]) {
        const topics = heard.map((each) => each !== "everything" && each.topic);
        expect(topics.toSorted()).toEqual(["mail", "notification", "offer"]);
        expect(errors).toEqual([]);
      }
      expect(three.heard).toContainEqual({ topic: "notification", workerIds: ["w1", "w2"] });
    });

    test("are sent at most twenty times a second, combined in between, and none is lost", async () => {
      const [one, two, payloads] = [await openProcess(), await openProcess(), await tap()];
      const began = performance.now();
      for (let index = 0; index < 200; index += 1) {
        one.signals.publish({ topic: "offer", organisationId: `org_${index % 20}` });
        one.signals.publish(delivery);
        await setTimeout(2);
      }
      one.signals.publish({ topic: "mail", organisationId: "last" });
      const isLast = (each: ReceivedSignal): boolean => each !== "everything" && each.organisationId === "last";
      await eventually("the last is heard", () => two.heard.some(isLast));
      const periods = Math.ceil((performance.now() - began) / 50);
      expect(payloads.length).toBeLessThanOrEqual(periods + 1);
      const organisations = two.heard.map(
        (each) => each !== "everything" && each.topic === "offer" && each.organisationId,
      );
      expect(new Set(organisations.filter((each) => each !== false)).size).toBe(20);
      expect(two.heard).not.toContain("everything");
      expect(two.heard.length).toBeLessThan(400);
    });

    test('become "everything" when they name more organisations than a payload can hold', async () => {
      const [one, two] = [await openProcess(), await openProcess()];
      one.signals.publish(
        Array.from(
          { length: 300 },
          (_, index): Signal => ({ topic: "delivery", organisationId: `organisation_${index}` }),
        ),
      );
      await eventually("it is heard", () => two.heard.length > 0);
      expect(two.heard).toEqual(["everything"]);
      expect([one.heard.length, one.errors]).toEqual([300, []]);
    });

    test('become "everything" after a lost connection, and later ones arrive as usual [D-82]', async () => {
      const [one, two] = [await openProcess(), await openProcess()];
      expect((await cut()).rows).toHaveLength(2);
      for (const { heard } of [one, two]) await eventually("it listens again", () => heard.includes("everything"));
      for (const { errors } of [one, two]) expect(errors).toMatchObject([{ code: "57P01" }]);
      one.signals.publish(offer);
      two.signals.publish(delivery);
      await eventually("each hears the other", () => one.heard.includes("everything") && one.heard.length > 2);
      await eventually("each hears the other", () => two.heard.length > 2);
      expect(one.heard).toEqual(["everything", offer, delivery]);
      expect(two.heard.slice(0, 2)).toEqual(["everything", delivery]);
      expect(two.heard.slice(2)).toEqual([offer]);
    });

    test("are sent again after a failure, which is reported and does not affect callers", async () => {
      let failures = 2;
      const failing = await openProcess((own) => ({
        ...own,
        execute: (text, values) =>
          text.includes("pg_notify") && failures-- > 0 ? Promise.reject(new Error("away")) : own.execute(text, values),
      }));
      const two = await openProcess();
      failing.signals.publish(offer);
      failing.signals.publish(delivery);
      expect(failing.heard).toEqual([offer, delivery]);
      await eventually("both are heard", () => two.heard.length === 2);
      expect(failing.errors).toMatchObject([{ message: "away" }, { message: "away" }]);
    });

    test("are sent when their process stops, and it receives no more", async () => {
      const [one, two] = [await openProcess(), await openProcess()];
      for (const signal of [offer, delivery]) {
        one.signals.publish(signal);
        await setTimeout(5);
      }
      await one.signals.stop();
      await eventually("both are heard", () => two.heard.length === 2);
      two.signals.publish({ topic: "mail" });
      await setTimeout(300);
      expect(one.heard).toEqual([offer, delivery]);
    });
  },
);
