/**
 * `@offers/webhook-kit/sqlite`: events handled once, in one transaction with your own rows in SQLite.
 *
 * @module sqlite
 */

export type { HandledResponses, Inbox } from "./inbox/inbox.ts";
export type { InboxDatabase } from "./inbox/inbox-database.ts";
export { inboxMigration } from "./inbox/sqlite-dialect.ts";
export { sqliteInbox } from "./inbox/sqlite-inbox.ts";
