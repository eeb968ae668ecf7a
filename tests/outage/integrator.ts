// The integrator's process: a receiver with the SQL inbox, which catches up when its parent process sends a task. The parent may kill it
// at any moment.
import { createServer } from "node:http";
import { OffersClient } from "@offers/client";
import { standardWebhooks } from "@offers/webhook-kit";
import { catchUp, type ResponseSource, reconcile, reconcileOnWebhook } from "@offers/webhook-kit/catch-up";
import { webhookListener } from "@offers/webhook-kit/node";
import { postgresInbox } from "@offers/webhook-kit/postgres";
import pg from "pg";
import type { IntegratorSetup, Task } from "./outage.ts";

const setup = JSON.parse(process.argv[2] ?? "") as IntegratorSetup;
const { mode, platform, apiKey, secret, port, databaseUrl } = setup;
const pool = new pg.Pool({ connectionString: databaseUrl });
pool.on("error", ({ message }) => console.error(message));
const inbox = postgresInbox(pool);

const onWorkerOfferResponse: ResponseSource["onWorkerOfferResponse"] = async (event, context) => {
  const { offerId, workerId, response } = event;
  await inbox.once(context, (tx) =>
    tx.query("INSERT INTO handled (offer_id, worker_id, response) VALUES ($1, $2, $3)", [offerId, workerId, response]),
  );
};

const offers = new OffersClient({ baseUrl: platform, apiKey });
const source: ResponseSource = {
  inbox,
  getOffer: (id, options) => offers.getOffer(id, options),
  onWorkerOfferResponse,
};

const webhooks = webhookListener({
  secret,
  scheme: standardWebhooks(),
  // Failures are expected, and the platform retries them.
  onError: () => undefined,
  onWorkerOfferResponse: mode === "feed" ? onWorkerOfferResponse : reconcileOnWebhook(source),
});

async function catchUpFromFeed(): Promise<unknown> {
  const { rows } = await pool.query<{ cursor: string }>("SELECT cursor FROM feed");
  return catchUp({
    baseUrl: platform,
    apiKey,
    after: rows[0]?.cursor,
    limit: 5,
    onWorkerOfferResponse,
    onPage: ({ cursor }) =>
      pool.query("INSERT INTO feed VALUES (true, $1) ON CONFLICT (one) DO UPDATE SET cursor = $1", [cursor]),
  });
}

process.on("message", ({ offerIds, runs }: Task) => {
  const run = () => (mode === "feed" ? catchUpFromFeed() : reconcile({ ...source, offerIds }));
  Promise.all(Array.from({ length: runs }, run)).then(
    () => process.send?.("done"),
    (error) => process.send?.(`failed: ${error}`),
  );
});
// The parent process has exited.
process.on("disconnect", () => process.exit());
createServer(webhooks).listen(port, "127.0.0.1", () => process.send?.("listening"));
