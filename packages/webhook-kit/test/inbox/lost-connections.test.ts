import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { isPostgresRunning } from "../../../../scripts/test-database.ts";
import { inboxMigration, postgresInbox } from "../../src/postgres.ts";
import { createDatabaseForFile, openPool } from "./postgres-server.ts";

const insert = "INSERT INTO notes (text) VALUES ($1)";

const hasPostgres = await isPostgresRunning();
const url = hasPostgres ? await createDatabaseForFile() : "";

describe.runIf(hasPostgres)("once on a pool whose connections are lost", () => {
  const observer = openPool(url);
  beforeAll(() => observer.query(`${inboxMigration()} CREATE TABLE notes (text text NOT NULL)`));

  const countNotes = async (text: string) =>
    (await observer.query("SELECT 1 FROM notes WHERE text = $1", [text])).rows.length;
  const terminateSession = async (tx: pg.PoolClient) => {
    const { rows } = await tx.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    await observer.query("SELECT pg_terminate_backend($1)", [rows[0]?.pid]);
  };

  test("once rejects when its session ends between two queries, rolls back, and leaves the pool usable", async () => {
    const pool = openPool(url, { max: 1 });
    const inbox = postgresInbox(pool);
    const event = { deduplicationKey: randomUUID() };
    const text = randomUUID();
    const lostCall = inbox.once(event, async (tx) => {
      await tx.query(insert, [text]);
      await terminateSession(tx);
      // Gives the client time to notice that its session has ended.
      await new Promise((resolve) => setTimeout(resolve, 50));
    });
    await expect(lostCall).rejects.toThrow();
    expect((await inbox.once({ ...event }, (tx) => tx.query(insert, [text]))).duplicate).toBe(false);
    expect(await countNotes(text)).toBe(1);
    expect(pool.totalCount).toBe(1);
  });

  test("a retry does not wait for a transaction whose connection is closed", async () => {
    const killedInbox = postgresInbox(openPool(url));
    const retryingInbox = postgresInbox(openPool(url));
    const event = { deduplicationKey: randomUUID() };
    const text = randomUUID();
    let reportStart = (_: pg.PoolClient) => {};
    const started = new Promise<pg.PoolClient>((resolve) => {
      reportStart = resolve;
    });
    // Like a killed process, this work never finishes.
    const killedCall = killedInbox.once(event, (tx) => {
      reportStart(tx);
      return new Promise(() => undefined);
    });
    void killedCall.catch(() => undefined);
    const killedTx = await started;
    const retry = retryingInbox.once({ ...event }, (tx) => tx.query(insert, [text]));
    // Closes the socket, as the kernel does for a killed process.
    (killedTx as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    expect((await retry).duplicate).toBe(false);
    expect(await countNotes(text)).toBe(1);
  });

  test("when the response to a commit is lost, once rejects and the retry is a duplicate", async () => {
    const pool = openPool(url);
    const event = { deduplicationKey: randomUUID() };
    const text = randomUUID();
    // Commits like a normal pool, but then fails as if the connection had closed before the response.
    const losingPool = {
      // The inbox recognises a pool by this property.
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
    const inbox = postgresInbox(losingPool as unknown as pg.Pool);
    await expect(inbox.once(event, (tx) => tx.query(insert, [text]))).rejects.toThrow("Connection terminated");
    expect(await postgresInbox(pool).once({ ...event }, (tx) => tx.query(insert, [text]))).toEqual({ duplicate: true });
    expect(await countNotes(text)).toBe(1);
  });

  test("a pool of one connection handles concurrent events one after another", async () => {
    const inbox = postgresInbox(openPool(url, { max: 1 }));
    const texts = Array.from({ length: 10 }, () => randomUUID());
    const results = await Promise.all(
      texts.map((text) => inbox.once({ deduplicationKey: text }, (tx) => tx.query(insert, [text]))),
    );
    expect(results.every(({ duplicate }) => !duplicate)).toBe(true);
    expect(await Promise.all(texts.map(countNotes))).toEqual(texts.map(() => 1));
  });

  test("idle_in_transaction_session_timeout ends work that waits for the only connection while holding it", async () => {
    const pool = openPool(url, { max: 1, idle_in_transaction_session_timeout: 1_000 });
    const inbox = postgresInbox(pool);
    const event = { deduplicationKey: randomUUID() };
    const text = randomUUID();
    await expect(inbox.once(event, () => pool.query(insert, [text]).then(() => undefined))).rejects.toThrow();
    expect((await inbox.once(event, (tx) => tx.query("SELECT 1"))).duplicate).toBe(false);
  });

  test("when the database is down, once and acquire reject", async () => {
    const inbox = postgresInbox(new pg.Pool({ host: "127.0.0.1", port: 1, connectionTimeoutMillis: 1_000 }));
    await expect(inbox.once({ deduplicationKey: "k" }, async () => undefined)).rejects.toThrow();
    await expect(inbox.acquire("k", { leaseMs: 1_000 })).rejects.toThrow();
  });

  test("the error for a missing table names the table", async () => {
    const inbox = postgresInbox(openPool(url), { table: "no_such_inbox" });
    await expect(inbox.once({ deduplicationKey: "k" }, async () => undefined)).rejects.toThrow(/no_such_inbox/);
  });

  test("acquire rejects after waiting timeoutMs for the pool, and releases a lease that it acquires later", async () => {
    const pool = openPool(url, { max: 1 });
    const inbox = postgresInbox(pool, { timeoutMs: 50 });
    const key = randomUUID();
    const client = await pool.connect();
    await expect(inbox.acquire(key, { leaseMs: 60_000 })).rejects.toThrow("PostgreSQL did not respond within 50 ms.");
    client.release();
    // The pool serves calls in order, so the late lease is acquired before this query returns.
    await pool.query("SELECT 1");
    const otherInbox = postgresInbox(observer);
    await expect.poll(async () => (await otherInbox.acquire(key, { leaseMs: 60_000 })).state).toBe("acquired");
  });
});

// https://www.postgresql.org/docs/current/protocol-message-formats.html
const createProtocolMessage = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type);
  // The length includes its own four bytes, but not the type.
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const authenticationOk = createProtocolMessage("R", Buffer.alloc(4));
const readyForQuery = createProtocolMessage("Z", Buffer.from("I"));
const terminated = createProtocolMessage("E", Buffer.from("SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0"));

test("when a server stops while a connection is being handed out, the call rejects and the process keeps running", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    // Sends all three messages in one packet, as a server that is being killed may do.
    socket.once("data", () => socket.end(Buffer.concat([authenticationOk, readyForQuery, terminated])));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const pool = openPool(`postgres://ann@127.0.0.1:${(server.address() as AddressInfo).port}/x`);
  await expect(postgresInbox(pool).once({ deduplicationKey: "key" }, async () => undefined)).rejects.toThrow();
  server.close();
});
