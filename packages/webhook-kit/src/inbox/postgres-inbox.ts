import { UnavailableError } from "../errors/errors.ts";
import { refuseUnknownOptions } from "../errors/option-names.ts";
import { type Inbox, type InboxOptions, inboxOptionNames, openInbox } from "./inbox.ts";
import { openDatabase, type PostgresHandle } from "./postgres-databases.ts";
import { inboxStatements, quoteTable } from "./postgres-statements.ts";

/**
 * An inbox in PostgreSQL 13 or newer: a `Pool` of npm `pg`, a PGlite, or a Kysely on either. Its table is created by your own
 * migration, from `inboxMigration()`.
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
 * const inbox = postgresInbox(new Pool({ connectionString: "postgres://127.0.0.1:5432/planning" }));
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
  refuseUnknownOptions("postgresInbox", options, inboxOptionNames);
  const opened = openDatabase(database);
  const { table } = quoteTable(options.table);
  return openInbox(opened, inboxStatements(table), options, (cause) => explain(cause, table));
}

/** PostgreSQL's `undefined_table` is a step of the installation that is still to be done; any other error is the database's own. */
function explain(cause: unknown, table: string): unknown {
  if (typeof cause !== "object" || cause === null || Reflect.get(cause, "code") !== "42P01") return cause;
  const migration = table === '"offers_inbox"' ? "inboxMigration()" : "inboxMigration({ table })";
  return new UnavailableError(
    "inbox_table_missing",
    `The table ${table} of postgresInbox does not exist. ${migration} returns the SQL that creates it: run it with your own migrations.`,
    { cause },
  );
}
