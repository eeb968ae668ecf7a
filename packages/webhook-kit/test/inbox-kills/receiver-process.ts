import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { serve } from "@hono/node-server";
import { webhookHandler } from "../../src/fetch.ts";
import { type HandlerContext, standardWebhooks } from "../../src/index.ts";
import { mysqlInbox } from "../../src/mysql.ts";
import { type Inbox, inboxMigration, postgresInbox } from "../../src/postgres.ts";
import { sqliteInbox } from "../../src/sqlite.ts";
import type { Handle, KilledReceiverSetup, ResumeMessage, Stage, StageMessage } from "./messages.ts";

const { secret, mode, handle, location } = JSON.parse(process.argv[2] ?? "") as KilledReceiverSetup;
const insert = "INSERT INTO handled (event) VALUES ($1)";
const insertPositional = "INSERT INTO handled (event) VALUES (?)";
const resumeFunctions = new Map<string, () => void>();
process.on("message", ({ resume }: ResumeMessage) => resumeFunctions.get(resume)?.());

function sendToParent(message: StageMessage): void {
  process.send?.(message);
}

/** Reports a stage of an event, and waits until the parent lets the receiver continue or kills this process. */
const reportAndWait = (stage: Stage, event: string): Promise<void> =>
  new Promise((resolve) => {
    resumeFunctions.set(`${stage} ${event}`, resolve);
    sendToParent({ type: "reached", stage, event });
  });

type Insert = (event: string) => Promise<unknown>;

/** Inserts the handler's row, either within `once` or without a transaction. */
interface HandlerDatabase {
  readonly insertAlone: Insert;
  once(context: HandlerContext, work: (write: Insert) => Promise<unknown>): Promise<unknown>;
}

const createHandlerDatabase = <Tx>(
  inbox: Inbox<Tx>,
  db: Tx,
  write: (tx: Tx, event: string) => Promise<unknown>,
): HandlerDatabase => ({
  insertAlone: (event) => write(db, event),
  once: (context, work) => inbox.once(context, (tx) => work((event) => write(tx, event))),
});

/** Each function loads only the library that it needs, so that receivers restart quickly. */
const openDatabase: Record<Handle, () => HandlerDatabase | Promise<HandlerDatabase>> = {
  async pg() {
    const { default: pg } = await import("pg");
    const pool = new pg.Pool({ connectionString: location });
    pool.on("error", ({ message }) => console.error(message));
    return createHandlerDatabase(postgresInbox(pool), pool as never, (tx, event) => tx.query(insert, [event]));
  },
  async drizzle() {
    const [{ drizzle }, { sql }] = await Promise.all([import("drizzle-orm/node-postgres"), import("drizzle-orm")]);
    const db = drizzle(location);
    db.$client.on("error", ({ message }) => console.error(message));
    return createHandlerDatabase(postgresInbox(db), db as never, (tx, event) =>
      tx.execute(sql`INSERT INTO handled (event) VALUES (${event})`),
    );
  },
  async prisma() {
    const [{ PrismaPg }, { PrismaClient }] = await Promise.all([
      import("@prisma/adapter-pg"),
      import("../inbox/prisma/generated/client.ts"),
    ]);
    const db = new PrismaClient({ adapter: new PrismaPg({ connectionString: location }) });
    return createHandlerDatabase(
      postgresInbox(db),
      db as never,
      (tx, event) => tx.$executeRaw`INSERT INTO handled (event) VALUES (${event})`,
    );
  },
  async pglite() {
    const { PGlite } = await import("@electric-sql/pglite");
    const pglite = new PGlite(location);
    const { rows } = await pglite.query("SELECT 1 FROM pg_class WHERE relname = 'handled'");
    if (rows.length === 0)
      await pglite.exec(`BEGIN; ${inboxMigration()} CREATE TABLE handled (event text NOT NULL); COMMIT`);
    return createHandlerDatabase(postgresInbox(pglite), pglite as never, (tx, event) => tx.query(insert, [event]));
  },
  "node:sqlite"() {
    const db = new DatabaseSync(location);
    return createHandlerDatabase(sqliteInbox(db), db, async (tx, event) => tx.prepare(insertPositional).run(event));
  },
  async "better-sqlite3"() {
    const { default: SqliteDatabase } = await import("better-sqlite3");
    // With a timeout, better-sqlite3 itself would wait for other writers and block the process.
    const db = new SqliteDatabase(location, { timeout: 0 });
    return createHandlerDatabase(sqliteInbox(db), db, async (tx, event) => tx.prepare(insertPositional).run(event));
  },
  async mysql2() {
    const { createPool } = await import("mysql2/promise");
    const pool = createPool(location);
    return createHandlerDatabase(mysqlInbox(pool), pool as never, (tx, event) => tx.execute(insertPositional, [event]));
  },
};

const { insertAlone, once } = await openDatabase[handle]();
const webhooks = webhookHandler({
  secret,
  scheme: standardWebhooks(),
  async onWorkerOfferResponse({ offerId }, context) {
    const work = async (write: Insert) => {
      await write(offerId);
      await reportAndWait("row", offerId);
    };
    await (mode === "once" ? once(context, work) : work(insertAlone));
    await reportAndWait("commit", offerId);
  },
});

async function receive(request: Request): Promise<Response> {
  const response = await webhooks(request);
  await reportAndWait("response", request.headers.get("x-event") ?? "");
  return response;
}

const server = serve({ fetch: receive, port: 0, hostname: "127.0.0.1" }, (info: AddressInfo) =>
  sendToParent({ type: "listening", port: info.port }),
);
// Exits when the parent exits.
process.on("disconnect", () => {
  server.close();
  process.exit();
});
