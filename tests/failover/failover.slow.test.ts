import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { OffersClient } from "@offers/client";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "../../scripts/processes/listen.ts";
import { hasPostgresServer } from "../../scripts/processes/own-postgres.ts";
import { openPlatformStore, platformMain } from "../../scripts/processes/platform-store.ts";
import { startProcess } from "../../scripts/processes/start-process.ts";
import { verifyHistory } from "../crash-test/history.ts";
import { Load, organisations, seed } from "../crash-test/load.ts";
import { Receiver } from "../crash-test/receiver.ts";
import { DatabasePair } from "./database-pair.ts";

const failovers = 10;
const changesPerSecond = 40;

/** Measures the seconds until `count` grows. Ignores the first half second, because work in progress may still finish after the kill. */
async function measureSecondsUntilMore(count: () => number): Promise<number> {
  const killedAt = performance.now();
  await pause(500);
  const before = count();
  while (count() === before) await pause(10);
  return (performance.now() - killedAt) / 1_000;
}

const formatRange = (seconds: readonly number[]) =>
  `${Math.min(...seconds).toFixed(1)} to ${Math.max(...seconds).toFixed(1)} s`;

test.runIf(hasPostgresServer)(
  "PostgreSQL failovers lose, reorder and duplicate nothing, cause 503 but no 500, and do not make a client's calls fail [D-145]",
  { timeout: 900_000 },
  async () => {
    const pair = await DatabasePair.start();
    onTestFinished(() => pair.stop());
    const { env, remove } = await openPlatformStore("pglite", seed);
    onTestFinished(remove);
    const processes = [1, 2].map(() =>
      startProcess(process.execPath, ["--disable-warning=ExperimentalWarning", platformMain], {
        env: { ...env, DATABASE_URL: pair.url, OFFERS_RETRY_SCHEDULE: Array(40).fill("500ms").join() },
      }),
    );
    onTestFinished(async () => {
      for (const { stop } of processes) await stop("SIGKILL");
    });
    const addresses = await Promise.all(processes.map(({ ready }) => ready));
    const receiver = new Receiver(organisations);
    receiver.isFaulty = false;
    const { address, close } = await listen(receiver.listener);
    onTestFinished(close);
    const load = new Load(() => addresses);
    await load.start(address, changesPerSecond);

    const [organisation] = organisations;
    let retries = 0;
    const client = new OffersClient({
      baseUrl: addresses[0] ?? "",
      apiKey: organisation?.apiKey ?? "",
      serviceHonoursIdempotencyKey: true,
      maxRetries: 5,
      onRetry: () => {
        retries += 1;
      },
    });
    let isOver = false;
    const created: string[] = [];
    const creation = (async () => {
      while (!isOver) {
        const offer = {
          createdByUserId: `person_of_${organisation?.id}`,
          title: randomUUID(),
          workerIds: ["worker_0"],
        };
        created.push((await client.createOffer(offer)).id);
        await pause(20);
      }
    })();
    // The test awaits the creation only after the failovers. Until then, a rejection must not crash the process.
    creation.catch(() => undefined);

    const outageSeconds: Record<"requests" | "deliveries", number[]> = { requests: [], deliveries: [] };
    for (let count = 0; count < failovers; count += 1) {
      await pause(1_500);
      const failover = pair.failOver();
      const recoveries = [
        measureSecondsUntilMore(() => load.changes.filter(({ isAcked }) => isAcked).length),
        measureSecondsUntilMore(() => receiver.receipts.length),
      ];
      await failover;
      const [requests = 0, deliveries = 0] = await Promise.all(recoveries);
      outageSeconds.requests.push(requests);
      outageSeconds.deliveries.push(deliveries);
      await pair.replaceStandby();
    }
    await pause(1_000);
    isOver = true;
    await creation;
    await load.stop();
    while ((await load.countPending()) > 0) await pause(200);

    const { acked, lost, reordered, duplicated, invented, examples } = verifyHistory(load.changes, receiver.receipts);
    const statuses = Object.fromEntries(load.failures);
    console.log(
      `${failovers} failovers: acknowledged ${acked}, lost ${lost}, reordered ${reordered}, duplicated ${duplicated}; ` +
        `errors: ${JSON.stringify(statuses)}; requests resumed after ${formatRange(outageSeconds.requests)}, deliveries after ` +
        `${formatRange(outageSeconds.deliveries)}; the client created ${created.length} offers with ${retries} retries`,
    );
    expect({ lost, reordered, duplicated, invented, examples }).toEqual({
      lost: 0,
      reordered: 0,
      duplicated: 0,
      invented: 0,
      examples: [],
    });
    expect(acked).toBeGreaterThan(50 * failovers);
    expect(Object.keys(statuses)).toEqual(["503 service_unavailable"]);
    expect(new Set(created).size).toBe(created.length);
    expect(retries).toBeGreaterThan(0);
    expect(processes.map(({ child }) => child.exitCode)).toEqual([null, null]);
  },
);
