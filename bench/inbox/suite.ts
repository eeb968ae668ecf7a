import { inboxMigration } from "@offers/webhook-kit/postgres";
import pg from "pg";
import { createDatabase, findPostgres } from "../../tools/test-database.ts";
import { measureEndToEnd } from "../receivers/end-to-end.ts";
import type { Suite } from "../suite.ts";

/** The first is the base. */
const candidates = ["bare-insert", "transaction", "once"].map(
  (name) => new URL(`candidates/${name}.ts`, import.meta.url),
);

/** Receivers that write to a PostgreSQL at `DATABASE_URL` or 127.0.0.1:5432. The CPU time is the receiver's alone. */
export const measureInbox: Suite = async (options) => {
  if (!(await findPostgres()))
    throw new Error("No PostgreSQL responds at 127.0.0.1:5432; start one, or set DATABASE_URL.");
  const { url, drop } = await createDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `${inboxMigration()} CREATE TABLE responses (offer_id text NOT NULL, worker_id text NOT NULL, response text NOT NULL)`,
  );
  await client.end();
  process.env.INBOX_DATABASE_URL = url;
  try {
    return await measureEndToEnd(candidates, [{ bytes: 300, padding: "text" }], options);
  } finally {
    await drop();
  }
};
