import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEndpointClient } from "../../src/endpoint-client/create-endpoint-client.ts";
import type { EndpointClient, EndpointResult } from "../../src/endpoint-client/endpoint-client.ts";

const deadlineMs = 1_000;
/** How many concurrent attempts one endpoint may have. */
const perEndpoint = 8;

type Addresses = [name: string, baseAddress: string][];

describe("receivers that keep a connection open", () => {
  const threads: Worker[] = [];
  let slow: Addresses;
  let endless: Addresses;
  let well: Addresses;
  let endpointClient: EndpointClient;
  /** Opens receivers in worker threads, so that they do not slow down the platform's thread. */
  async function openReceivers(kind: "well" | "hostile"): Promise<Addresses> {
    const thread = new Worker(new URL("hostile-receivers.ts", import.meta.url), { workerData: kind });
    threads.push(thread);
    const [addresses] = await once(thread, "message");
    return addresses;
  }
  beforeAll(async () => {
    const hostile = await openReceivers("hostile");
    slow = hostile.filter(([name]) => !isEndless(name));
    endless = hostile.filter(([name]) => isEndless(name));
    well = await openReceivers("well");
    endpointClient = createEndpointClient({ allowLoopback: true });
  });
  afterAll(async () => {
    await endpointClient.close();
    await Promise.all(threads.map((thread) => thread.terminate()));
  });

  async function attempt(baseAddress: string): Promise<{ result: EndpointResult; ms: number }> {
    const started = performance.now();
    const result = await endpointClient.send({
      method: "GET",
      path: "/contact/new/1",
      baseAddress,
      timeoutMs: deadlineMs,
    });
    return { result, ms: performance.now() - started };
  }

  test("cannot extend an attempt beyond its deadline by more than half a second, even eight in parallel", async () => {
    const late: string[] = [];
    const attemptAll = async ([name, baseAddress]: [string, string], index: number): Promise<void> => {
      await setTimeout(50 * index);
      const started = performance.now();
      // On a busy machine, even a timer is late, so compare the attempts with its delay.
      const timer = setTimeout(deadlineMs).then(() => performance.now() - started);
      const attempts = await Promise.all(Array.from({ length: perEndpoint }, () => attempt(baseAddress)));
      const limitMs = Math.max(deadlineMs, await timer) + 500;
      for (const { result, ms } of attempts) {
        if (ms > limitMs) late.push(`${name}: ${Math.round(ms)} ms`);
        if (!result.ok)
          expect([name, result.code]).toEqual([name, expect.stringMatching(/^(timeout|protocol_error)$/)]);
      }
    };
    await Promise.all(slow.map(attemptAll));
    for (const each of endless) await attemptAll(each, 0);
    expect(late).toEqual([]);
  });

  test("cannot fill the memory with endless responses, which are cut off before the deadline", async () => {
    const before = process.memoryUsage().rss;
    const ends: [string, string][] = [];
    for (const [name, baseAddress] of endless)
      for (let count = 0; count < 10; count += 1) {
        const { result } = await attempt(baseAddress);
        ends.push([name, result.ok ? `${result.body.length} bytes` : result.code]);
      }
    expect(new Set(ends.map(([, end]) => end))).toEqual(new Set(["protocol_error", "65536 bytes"]));
    // Fifty floods; keeping 4 MiB of each would take 200 MiB.
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * 1024 * 1024);
  });

  test("delay no other endpoint: the 99th percentile of other attempts at most doubles", async () => {
    /** Measures attempts at four endpoints with many deliveries. */
    async function measure(): Promise<number[]> {
      const taken: number[] = [];
      const inTurn = async (): Promise<void> => {
        for (let count = 0; count < 20; count += 1) taken.push((await attempt(well[0]?.[1] ?? "")).ms);
      };
      await Promise.all(Array.from({ length: 4 * perEndpoint }, inTurn));
      return taken;
    }
    async function beset<T>(work: () => Promise<T>): Promise<T> {
      let over = false;
      const attack = async (baseAddress: string): Promise<void> => {
        // Spread the starts over time.
        await setTimeout(deadlineMs * Math.random());
        while (!over) {
          const { ms } = await attempt(baseAddress);
          // After an attempt that ends early, wait as the retry schedule would.
          await setTimeout(Math.max(0, deadlineMs - ms));
        }
      };
      // Exclude the floods, which would need a separate machine.
      const attacks = slow.flatMap(([, baseAddress]) => Array.from({ length: perEndpoint }, () => attack(baseAddress)));
      await setTimeout(2 * deadlineMs);
      const result = await work();
      over = true;
      await Promise.all(attacks);
      return result;
    }
    await measure();
    const quiet: number[] = [];
    const busy: number[] = [];
    // Alternate and take the fastest of five, to exclude other load on the machine.
    for (let round = 0; round < 5; round += 1) {
      quiet.push(percentile(await measure(), 0.99));
      busy.push(percentile(await beset(measure), 0.99));
    }
    expect(Math.min(...busy)).toBeLessThanOrEqual(2 * Math.min(...quiet));
  }, 120_000);
});

const isEndless = (name: string): boolean => /without number|larger than|as fast as/.test(name);

function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
}
