import { afterAll, describe, expect, test } from "vitest";
import { type ComparedCase, compareCases, type Mismatch } from "../../../cli/src/probe/compare.ts";
import { type Receiver, type SendCasesOptions, sendCases } from "../../../cli/src/probe/send.ts";
import type { Scheme } from "../../../cli/src/signature/sign-request.ts";
import { readVectors } from "../../../cli/src/vectors/vectors.ts";
import { configFor } from "./receivers/receiver-setup.ts";
import { startReceiver } from "./receivers/start-receiver.ts";
import { describeFailures, summarise } from "./summarise.ts";

const vectors = readVectors();
const isFull = process.env.TEST_MATRIX === "full";
/** The adapters to test: one whose requests Node parses, or every adapter in the full matrix. */
const adapters = isFull ? ["Express 4", "Express 5", "node:http", "fetch"] : ["Express 5"];
/** The time zones to test: one that differs from UTC, and in the full matrix also UTC and the zone furthest from it. */
const zones = isFull ? ["UTC", "Pacific/Kiritimati", "America/St_Johns"] : ["America/St_Johns"];
const startedReceivers: { stop(): Promise<unknown> }[] = [];
afterAll(() => Promise.all(startedReceivers.map((receiver) => receiver.stop())));

const runVectors = async (options: SendCasesOptions, receiver: Receiver): Promise<ComparedCase[]> =>
  compareCases(options, await sendCases(options, receiver));

async function start(adapter: string, zone: string, scheme: Scheme = "timestampDigest") {
  const receiver = await startReceiver(adapter, zone, scheme);
  startedReceivers.push(receiver);
  return receiver;
}

describe.concurrent.each(adapters.flatMap((adapter) => zones.map((zone) => ({ adapter, zone }))))(
  "$adapter in $zone",
  ({ adapter, zone }) => {
    test("a receiver passes every test vector, with the clock of the vectors and with the real clock [D-60]", async () => {
      const receiver = await start(adapter, zone);
      for (const clock of isFull ? [vectors.config.clock, undefined] : [vectors.config.clock]) {
        const comparedCases = await runVectors({ ...vectors, scheme: "timestampDigest", clock }, receiver);
        expect(describeFailures(comparedCases), summarise(comparedCases)).toEqual([]);
        expect(comparedCases.length, "sent cases").toBeGreaterThan(700);
      }
    });

    test("a receiver passes every Standard Webhooks test vector", async () => {
      const scheme = "standardWebhooks";
      const receiver = await start(adapter, zone, scheme);
      const comparedCases = await runVectors(
        { config: configFor(scheme), groups: vectors.standardWebhooks, scheme },
        receiver,
      );
      expect(describeFailures(comparedCases), summarise(comparedCases)).toEqual([]);
      expect(comparedCases.length, "sent cases").toBeGreaterThan(50);
    });
  },
);

// Checks the test vectors themselves, instead of the kit.
if (isFull)
  test.concurrent("a naive receiver fails at least 60 test vectors", async () => {
    const comparedCases = await runVectors(
      { ...vectors, scheme: "timestampDigest", clock: vectors.config.clock },
      await start("naive", "UTC"),
    );
    // Counts only wrong statuses, wrong handling and leaks, but not different headers or wording.
    const isSerious = ({ kind }: Mismatch) => kind === "status" || kind === "handled" || kind === "leak";
    expect(describeFailures(comparedCases, isSerious).length, summarise(comparedCases)).toBeGreaterThanOrEqual(60);
  });
