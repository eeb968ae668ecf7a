/**
 * `@offers/webhook-kit/postgres`: events handled once, in one transaction with your own rows.
 *
 * @module postgres
 */

export type { HandledResponses, Inbox } from "./inbox/inbox.ts";
export { postgresInbox } from "./inbox/postgres-inbox.ts";
export { inboxMigration } from "./inbox/postgres-statements.ts";
