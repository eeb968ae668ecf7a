import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { findPostgres } from "../../../../scripts/test-database.ts";
import { inboxMigration, postgresInbox } from "../../src/postgres.ts";
import { databaseOfFile, openPool } from "./postgres-server.ts";

const insert = "INSERT INTO notes (text) VALUES ($1)";

const hasPostgres = await findPostgres();
const url = hasPostgres ? await databaseOfFile() : "";

describe.runIf(hasPostgres)("once on a pool whose connections are lost", () => {
  const observer = openPool(url);
  beforeAll(() => observer.query(`${inboxMigration()} CREATE TABLE notes (text text NOT NULL)`));

  const notes = async (text: string) =>
    (await observer.query("SELECT 1 FROM notes WHERE text = $1", [text])).rows.length;
  const terminate = async (tx: pg.PoolClient) => {
    const { rows } = await tx.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    await observer.query("SELECT pg_terminate_backend($1)", [rows[0]?.pid]);
  };

  test("rejects when its session ends between two queries, rolls back, and leaves the pool usable", async () => {
    const pool = openPool(url, { max: 1 });
    const inbox = postgresInbox(pool);
    const [event, text] = [{ deduplicationKey: randomUUID() }, randomUUID()];
    const lost = inbox.once(event, async (tx) => {
      await tx.query(insert, [text]);
      await terminate(tx);
      await new Promise((resolve) => setTimeout(resolve, 50));
    });
    await expect(lost).rejects.toThrow();
    expect((await inbox.once({ ...event }, (tx) => tx.query(insert, [text]))).duplicate).toBe(false);
    expect(await notes(text)).toBe(1);
    expect(pool.totalCount).toBe(1);
  });

  test("a retry does not wait for a transaction whose connection is closed", async () => {
    const [inbox, other] = [postgresInbox(openPool(url)), postgresInbox(openPool(url))];
    const [event, text] = [{ deduplicationKey: randomUUID() }, randomUUID()];
    let crash = (_: pg.PoolClient) => {};
    const started = new Promise<pg.PoolClient>((resolve) => (crash = resolve));
    // A killed process never continues after this.
    const killed = inbox.once(event, (tx) => {
      crash(tx);
      return new Promise(() => undefined);
    });
    void killed.catch(() => undefined);
    const tx = await started;
    const retry = other.once({ ...event }, (own) => own.query(insert, [text]));
    // The kernel closes the sockets of a killed process; this does the same.
    (tx as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    expect((await retry).duplicate).toBe(false);
    expect(await notes(text)).toBe(1);
  });

  test("a commit whose response is lost rejects, and the retry is a duplicate", async () => {
    const pool = openPool(url);
    const [event, text] = [{ deduplicationKey: randomUUID() }, randomUUID()];
    const losing = {
      totalCount: 1,
      query: pool.query.bind(pool),
      async connect() {
        const client = await pool.connect();
        return new Proxy(client, {
          get(target, name) {
            if (name !== "query") return Reflect.get(target, name, target);
            return async (sql: string, values?: unknown[]) => {
              const result = await target.query(sql, values);
              if (sql === "COMMIT") throw new Error("Connection terminated");
              return result;
            };
          },
        });
      },
    };
    const inbox = postgresInbox(losing as unknown as pg.Pool);
    await expect(inbox.once(event, (tx) => tx.query(insert, [text]))).rejects.toThrow("Connection terminated");
    expect(await postgresInbox(pool).once({ ...event }, (tx) => tx.query(insert, [text]))).toEqual({ duplicate: true });
    expect(await notes(text)).toBe(1);
  });

  test("a pool of one handles concurrent events one after another", async () => {
    const inbox = postgresInbox(openPool(url, { max: 1 }));
    const texts = Array.from({ length: 10 }, () => randomUUID());
    const results = await Promise.all(
      texts.map((text) => inbox.once({ deduplicationKey: text }, (tx) => tx.query(insert, [text]))),
    );
    expect(results.every(({ duplicate }) => !duplicate)).toBe(true);
    expect(await Promise.all(texts.map(notes))).toEqual(texts.map(() => 1));
  });

  test("idle_in_transaction_session_timeout ends work that waits for the only connection, which it holds itself", async () => {
    const pool = openPool(url, { max: 1, idle_in_transaction_session_timeout: 1_000 });
    const inbox = postgresInbox(pool);
    const [event, text] = [{ deduplicationKey: randomUUID() }, randomUUID()];
    await expect(inbox.once(event, () => pool.query(insert, [text]).then(() => undefined))).rejects.toThrow();
    expect((await inbox.once(event, (tx) => tx.query("SELECT 1"))).duplicate).toBe(false);
  });

  test("a database that is down rejects, and nothing is recorded", async () => {
    const inbox = postgresInbox(new pg.Pool({ host: "127.0.0.1", port: 1, connectionTimeoutMillis: 1_000 }));
    await expect(inbox.once({ deduplicationKey: "k" }, async () => undefined)).rejects.toThrow();
    await expect(inbox.acquire("k", { leaseMs: 1_000 })).rejects.toThrow();
  });

  test("the cause of a missing table is the database's own error", async () => {
    const inbox = postgresInbox(openPool(url), { table: "no_such_inbox" });
    await expect(inbox.once({ deduplicationKey: "k" }, async () => undefined)).rejects.toThrow(/no_such_inbox/);
  });

  test("acquire that waits for the pool longer than timeoutMs rejects, and keeps no lease", async () => {
    const pool = openPool(url, { max: 1 });
    const inbox = postgresInbox(pool, { timeoutMs: 50 });
    const key = randomUUID();
    const client = await pool.connect();
    await expect(inbox.acquire(key, { leaseMs: 60_000 })).rejects.toThrow("PostgreSQL did not respond within 50 ms.");
    client.release();
    // The pool serves in order: the late lease is acquired before this returns.
    await pool.query("SELECT 1");
    const other = postgresInbox(observer);
    await expect.poll(async () => (await other.acquire(key, { leaseMs: 60_000 })).state).toBe("acquired");
  });
});

// https://www.postgresql.org/docs/current/protocol-message-formats.html
const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const authenticationOk = message("R", Buffer.alloc(4));
const readyForQuery = message("Z", Buffer.from("I"));
const ended = message("E", Buffer.from("SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0"));

test("a server that stops while a connection is being handed out ends the call, not the process", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    // In one packet, as a killed server may send them.
    socket.once("data", () => socket.end(Buffer.concat([authenticationOk, readyForQuery, ended])));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const pool = openPool(`postgres://ann@127.0.0.1:${(server.address() as AddressInfo).port}/x`);
  await expect(postgresInbox(pool).once({ deduplicationKey: "key" }, async () => undefined)).rejects.toThrow();
  server.close();
});
