/**
 * `@offers/webhook-kit/postgres`: handles events once, in the same PostgreSQL transaction as your own rows.
 *
 * @module postgres
 */

export type { Inbox, ResponseLog } from "./inbox/inbox.ts";
export type { InboxDatabase } from "./inbox/inbox-database.ts";
export { inboxMigration } from "./inbox/postgres-dialect.ts";
export { postgresInbox } from "./inbox/postgres-inbox.ts";
