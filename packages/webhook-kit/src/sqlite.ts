/**
 * `@offers/webhook-kit/sqlite`: handles events once, in the same SQLite transaction as your own rows.
 *
 * @module sqlite
 */

export type { Inbox, ResponseLog } from "./inbox/inbox.ts";
export type { InboxDatabase } from "./inbox/inbox-database.ts";
export { inboxMigration } from "./inbox/sqlite-dialect.ts";
export { sqliteInbox } from "./inbox/sqlite-inbox.ts";
