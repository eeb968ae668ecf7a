/**
 * `@offers/webhook-kit/mysql`: handles events once, in the same MySQL or MariaDB transaction as your own rows.
 *
 * @module mysql
 */

export type { Inbox, ResponseLog } from "./inbox/inbox.ts";
export type { InboxDatabase } from "./inbox/inbox-database.ts";
export { inboxMigration } from "./inbox/mysql-dialect.ts";
export { mysqlInbox } from "./inbox/mysql-inbox.ts";
