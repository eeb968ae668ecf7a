import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { OffersClient } from "@offers/client";
import { type ResponseSource, reconcile } from "@offers/webhook-kit/catch-up";
import { inboxMigration, postgresInbox } from "@offers/webhook-kit/postgres";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { offer, recipient } from "../../sample-offer.ts";
import { createDatabase, findPostgres } from "../../test-database.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const offers = 10_000;
const ids = function* () {
  for (let index = 0; index < offers; index += 1) yield `offer_${index}`;
};

/** A service whose offers have three recipients each, all of whom have applied. */
async function startService(): Promise<string> {
  const recipients = ["Amal", "Ben", "Cleo"].map((name, id) => recipient(id, name, "applied"));
  const body = JSON.stringify({ ...offer, recipients });
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json").end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.runIf(await findPostgres())(`${offers} open offers of three recipients`, { timeout: 600_000 }, () => {
  test("are reconciled in flat memory, and at the rate that is asked for", async () => {
    const { url, drop } = await createDatabase();
    const pool = new pg.Pool({ connectionString: url });
    onTestFinished(async () => {
      await pool.end();
      await drop();
    });
    await pool.query(inboxMigration());
    const inbox = postgresInbox(pool);
    const client = new OffersClient({ baseUrl: await startService(), apiKey: "key" });
    const source: ResponseSource = {
      inbox,
      getOffer: (id, options) => client.getOffer(id, options),
      onWorkerOfferResponse: (_event, context) => inbox.once(context, (tx) => tx.query("SELECT 1")),
    };
    const heapMb: number[] = [];
    const measureMemory = ({ summary }: { summary: { read: number } }) => {
      if (summary.read % (offers / 4) !== 0) return;
      collectGarbage();
      heapMb.push(Math.round(process.memoryUsage().heapUsed / 1_048_576));
    };
    const run = async (requestsPerSecond?: number) => {
      const startedAt = performance.now();
      const summary = await reconcile({
        ...source,
        offerIds: ids(),
        requestsPerSecond,
        concurrency: 8,
        onProgress: measureMemory,
      });
      return { ...summary, seconds: (performance.now() - startedAt) / 1_000 };
    };
    const first = await run();
    const again = await run();
    const paced = await run(400);
    console.log(JSON.stringify({ first, again, paced, heapMb }));
    expect(first).toMatchObject({ read: offers, caughtUp: 3 * offers, requests: 4 * offers });
    expect(again).toMatchObject({ known: 3 * offers, requests: offers });
    // After the first quarter, which fills pools and caches.
    expect(Math.max(...heapMb) - (heapMb[0] ?? 0)).toBeLessThan(20);
    const rate = (paced.requests - 1) / paced.seconds;
    expect(rate).toBeLessThanOrEqual(400 * 1.02);
    expect(rate).toBeGreaterThanOrEqual(400 * 0.98);
  });
});
