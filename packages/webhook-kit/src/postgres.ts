/**
 * `@offers/webhook-kit/postgres`: events handled once, in one transaction with your own rows.
 *
 * @module postgres
 */
export { inboxMigration } from "./deduplication/inbox/inbox-migration.ts";
export { type Inbox, postgresInbox } from "./deduplication/inbox/postgres-inbox.ts";
