import type { AddressInfo } from "node:net";
import { PGlite } from "@electric-sql/pglite";
import { serve } from "@hono/node-server";
import pg from "pg";
import { webhookHandler } from "../../src/fetch.ts";
import { type HandlerContext, standardWebhooks } from "../../src/index.ts";
import { inboxMigration, postgresInbox } from "../../src/postgres.ts";
import type { GoOnMessage, KilledReceiverSetup, Stage, StageMessage } from "./messages.ts";

const { secret, mode, database } = JSON.parse(process.argv[2] ?? "") as KilledReceiverSetup;
const notify = (message: StageMessage): void => void process.send?.(message);
const insert = "INSERT INTO handled (event) VALUES ($1)";
const waiting = new Map<string, () => void>();
process.on("message", ({ goOn }: GoOnMessage) => waiting.get(goOn)?.());

/** Resolves when the parent lets the event go on; it may kill this process instead. */
const reach = (stage: Stage, event: string): Promise<void> =>
  new Promise((resolve) => {
    waiting.set(`${stage} ${event}`, resolve);
    notify({ type: "reached", stage, event });
  });

/** The statement of a handler, within `once` or by itself. */
type Insert = (event: string) => Promise<unknown>;

async function openDatabase(): Promise<{
  bare: Insert;
  once(context: HandlerContext, work: (write: Insert) => Promise<unknown>): Promise<unknown>;
}> {
  if ("url" in database) {
    const pool = new pg.Pool({ connectionString: database.url });
    const inbox = postgresInbox(pool);
    return {
      bare: (event) => pool.query(insert, [event]),
      once: (context, work) => inbox.once(context, (tx) => work((event) => tx.query(insert, [event]))),
    };
  }
  const pglite = new PGlite(database.dataFolder);
  const { rows } = await pglite.query("SELECT 1 FROM pg_class WHERE relname = 'handled'");
  if (rows.length === 0)
    await pglite.exec(`BEGIN; ${inboxMigration()} CREATE TABLE handled (event text NOT NULL); COMMIT`);
  const inbox = postgresInbox(pglite);
  return {
    bare: (event) => pglite.query(insert, [event]),
    once: (context, work) => inbox.once(context, (tx) => work((event) => tx.query(insert, [event]))),
  };
}

const { bare, once } = await openDatabase();
const webhooks = webhookHandler({
  secret,
  scheme: standardWebhooks(),
  async onWorkerOfferResponse({ offerId }, context) {
    const work = async (write: Insert) => {
      await write(offerId);
      await reach("row", offerId);
    };
    await (mode === "once" ? once(context, work) : work(bare));
    await reach("commit", offerId);
  },
});

async function receive(request: Request): Promise<Response> {
  const response = await webhooks(request);
  await reach("response", request.headers.get("x-event") ?? "");
  return response;
}

const server = serve({ fetch: receive, port: 0, hostname: "127.0.0.1" }, (info: AddressInfo) =>
  notify({ type: "listening", port: info.port }),
);
// The parent is gone.
process.on("disconnect", () => {
  server.close();
  process.exit();
});
