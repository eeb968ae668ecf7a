/**
 * `@offers/webhook-kit/postgres`: events handled once, in one transaction with your own rows.
 *
 * @module postgres
 */

export type { HandledResponses, Inbox } from "./inbox/inbox.ts";
export type { InboxDatabase } from "./inbox/inbox-database.ts";
export { inboxMigration } from "./inbox/postgres-dialect.ts";
export { postgresInbox } from "./inbox/postgres-inbox.ts";
