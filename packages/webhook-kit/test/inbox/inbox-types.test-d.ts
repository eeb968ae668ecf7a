import type { PGlite, Transaction as PgliteTransaction } from "@electric-sql/pglite";
import type { Kysely, Transaction } from "kysely";
import type { Client, Pool, PoolClient } from "pg";
import { expectTypeOf, test } from "vitest";
import type { HandlerContext, WebhookEvent } from "../../src/index.ts";
import { type Inbox, postgresInbox } from "../../src/postgres.ts";

interface OwnTables {
  notes: { text: string };
}

declare const pool: Pool;
declare const pglite: PGlite;
declare const kysely: Kysely<OwnTables>;
declare const client: Client;
declare const context: HandlerContext<Request>;
declare const event: WebhookEvent;

test("work gets the transaction of the user's own database", () => {
  expectTypeOf(postgresInbox(pool)).toEqualTypeOf<Inbox<PoolClient>>();
  expectTypeOf(postgresInbox(pglite)).toEqualTypeOf<Inbox<PgliteTransaction>>();
  expectTypeOf(postgresInbox(kysely)).toEqualTypeOf<Inbox<Transaction<OwnTables>>>();
});

test("a table that is not the user's is an error", () => {
  const inbox = postgresInbox(kysely);
  // @ts-expect-error no such table
  void inbox.once(event, (tx) => tx.insertInto("nots").values({ text: "" }).execute());
});

test("a handler's context and a queued event both identify an event", () => {
  const inbox = postgresInbox(pool);
  expectTypeOf(inbox.once).toBeCallableWith(context, async () => undefined);
  expectTypeOf(inbox.once).toBeCallableWith(event, async () => undefined, { key: "k" });
});

test("a single connection does not fit", () => {
  // @ts-expect-error one connection for all events
  postgresInbox(client);
});
