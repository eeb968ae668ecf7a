import { createServer } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { createPool } from "mysql2/promise";
import pg from "pg";
import { expect, test, vi } from "vitest";
import { webhookHandler } from "../../src/fetch.ts";
import { mysqlInbox } from "../../src/mysql.ts";
import { type Inbox, postgresInbox } from "../../src/postgres.ts";
import { sqliteInbox } from "../../src/sqlite.ts";
import { createSignedHeaders, secret } from "../support/serve.ts";

/** Returns a loopback port that was just freed, so that it refuses connections. */
async function findClosedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  // The address of a listening TCP server is always an object, so the default is only for the type check.
  return typeof address === "object" && address ? address.port : 1;
}

const host = "127.0.0.1";
const port = await findClosedPort();
const refused = expect.objectContaining({ code: "ECONNREFUSED" });

const openClosedSqlite = (): DatabaseSync => {
  const database = new DatabaseSync(":memory:");
  database.close();
  return database;
};

const inboxes: [string, Inbox<never>, unknown][] = [
  ["PostgreSQL", postgresInbox(new pg.Pool({ host, port })) as Inbox<never>, refused],
  ["MySQL", mysqlInbox(createPool({ host, port })) as Inbox<never>, refused],
  [
    "SQLite",
    sqliteInbox(openClosedSqlite()) as Inbox<never>,
    expect.objectContaining({ message: "database is not open" }),
  ],
];

test.each(inboxes)(
  "when %s is down, every method of the inbox rejects with an error that names the database",
  async (database, inbox, cause) => {
    const work = vi.fn();
    const unavailable = expect.objectContaining({
      name: "UnavailableError",
      code: "inbox_unavailable",
      message: expect.stringMatching(new RegExp(`Inbox .*${database}.*Is the database running.*host`)),
      cause,
    });
    await expect(inbox.once({}, work, { key: "k" })).rejects.toEqual(unavailable);
    await expect(inbox.lastResponses.find([{ offerId: "o", workerId: "w" }])).rejects.toEqual(unavailable);
    await expect(inbox.lastResponses.update({ offerId: "o", workerId: "w" }, {}, work)).rejects.toEqual(unavailable);
    await expect(inbox.deleteExpired()).rejects.toEqual(unavailable);
    expect(work).not.toHaveBeenCalled();
  },
);

test.each(inboxes)(
  "when deduplication uses %s and it is down, a webhook gets 503 and its handler does not run",
  async (_database, deduplication, cause) => {
    const onError = vi.fn();
    const onWorkerAddedContact = vi.fn();
    const handler = webhookHandler({ secret, deduplication, onWorkerAddedContact, onError });
    const request = new Request("http://127.0.0.1/contact/new/amal", { headers: createSignedHeaders() });
    expect((await handler(request)).status).toBe(503);
    expect(onError.mock.calls).toEqual([[expect.objectContaining({ code: "inbox_unavailable", cause })]]);
    expect(onWorkerAddedContact).not.toHaveBeenCalled();
  },
);
