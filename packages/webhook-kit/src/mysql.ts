/**
 * `@offers/webhook-kit/mysql`: events handled once, in one transaction with your own rows in MySQL or MariaDB.
 *
 * @module mysql
 */

export type { HandledResponses, Inbox } from "./inbox/inbox.ts";
export type { InboxDatabase } from "./inbox/inbox-database.ts";
export { inboxMigration } from "./inbox/mysql-dialect.ts";
export { mysqlInbox } from "./inbox/mysql-inbox.ts";
