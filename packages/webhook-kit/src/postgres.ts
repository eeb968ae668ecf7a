/**
 * `@offers/webhook-kit/postgres`: events handled once, in one transaction with your own rows.
 *
 * @module postgres
 */
export { inboxMigration } from "./deduplication/inbox-table.ts";
export { type Inbox, postgresInbox } from "./deduplication/postgres-inbox.ts";
