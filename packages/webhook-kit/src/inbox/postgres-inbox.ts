import { rejectUnknownOptions } from "../errors/option-names.ts";
import { type Inbox, type InboxOptions, inboxOptionNames, openInbox } from "./inbox.ts";
import { openDatabase, type PostgresHandle } from "./postgres-databases.ts";
import { postgresDialect } from "./postgres-dialect.ts";

/**
 * An inbox in PostgreSQL 13 or newer. Pass a `pg` `Pool`, a PGlite, Kysely, Drizzle or Prisma instance on PostgreSQL, or your own
 * `InboxDatabase`. Create its table in your own migration, with `inboxMigration()`.
 *
 * @throws {ConfigurationError} `invalid_option` for an invalid database or option
 *
 * @example
 * ```ts
 * import { standardWebhooks } from "@offers/webhook-kit";
 * import { webhookRouter } from "@offers/webhook-kit/express";
 * import { postgresInbox } from "@offers/webhook-kit/postgres";
 * import { Pool } from "pg";
 *
 * const pool = new Pool({ connectionString: "postgres://127.0.0.1:5432/planning" });
 * pool.on("error", ({ message }) => console.error(message)); // without it, a lost idle connection crashes the process
 * const inbox = postgresInbox(pool);
 *
 * webhookRouter({
 *   secret: process.env.WEBHOOK_SECRET ?? "",
 *   scheme: standardWebhooks(),
 *   async onWorkerOfferResponse({ offerId, workerId, response }, context) {
 *     await inbox.once(context, (tx) =>
 *       tx.query("INSERT INTO responses (offer_id, worker_id, response) VALUES ($1, $2, $3)", [offerId, workerId, response]),
 *     );
 *   },
 * });
 * ```
 *
 * @example Kysely, in a worker
 * ```ts
 * import type { WebhookEvent } from "@offers/webhook-kit";
 * import { postgresInbox } from "@offers/webhook-kit/postgres";
 * import type { Kysely } from "kysely";
 *
 * declare const db: Kysely<{ contacts: { worker_id: string } }>;
 * const inbox = postgresInbox(db);
 *
 * export async function handle(event: WebhookEvent): Promise<void> {
 *   if (event.type !== "WorkerAddedContact") return;
 *   const row = { worker_id: event.data.workerId };
 *   await inbox.once(event, (tx) => tx.insertInto("contacts").values(row).execute());
 * }
 * ```
 */
export function postgresInbox<Tx>(database: PostgresHandle<Tx>, options: InboxOptions = {}): Inbox<Tx> {
  rejectUnknownOptions("postgresInbox", options, inboxOptionNames);
  return openInbox(openDatabase(database), postgresDialect(options.table), options);
}
