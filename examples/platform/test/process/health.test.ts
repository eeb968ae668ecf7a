import { sql } from "kysely";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { pingDatabase } from "../../src/observability/health.ts";
import { eventually } from "../support/eventually.ts";
import { openPlatform } from "../support/platform-under-test.ts";
import { anyStore, storesUnderTest } from "../support/stores/stores.ts";
import { useDatabase, usePlatform, useStore } from "../support/use-opened.ts";

const stores = await storesUnderTest();

// Tests only the responses. The describe block after this one tests the database ping.
describe.each(await anyStore())("health on $title", ({ createDatabase }) => {
  const platform = usePlatform({ createDatabase });

  test("the health endpoints report alive and ready, and reveal nothing else", async () => {
    const [alive, ready] = [await platform.call("GET", "/healthz"), await platform.call("GET", "/readyz")];
    expect([alive.status, alive.text]).toEqual([200, '{"status":"alive"}']);
    expect([ready.status, ready.text]).toEqual([200, '{"status":"ready"}']);
  });

  test("the platform keeps idle connections open longer than proxies do (nginx and ALB 60 s, Caddy 120 s)", async () => {
    const { headers } = await platform.call("GET", "/healthz");
    expect(Number(/^timeout=(\d+)$/.exec(headers.get("keep-alive") ?? "")?.[1])).toBeGreaterThan(120);
  });
});

describe.each(stores)("health on $title", ({ createDatabase }) => {
  const store = useStore({ createDatabase });

  test("the database ping fails while the store does not respond, and succeeds afterwards", async () => {
    expect(await pingDatabase(store)).toBe(true);
    // A store's first transaction takes longer to start.
    await store.transaction(async () => undefined);
    let isBusy = true;
    // PGlite has one connection, and PostgreSQL's pool has twenty. PostgreSQL would end idle transactions.
    const busyTransactions = Array.from({ length: 20 }, () =>
      store.transaction(async (trx) => {
        while (isBusy) await sql`select pg_sleep(0.1)`.execute(trx);
      }),
    );
    expect(await pingDatabase(store)).toBe(false);
    isBusy = false;
    await Promise.all(busyTransactions);
    expect(await pingDatabase(store)).toBe(true);
  });
});

describe.each(stores.slice(1))("health while $title is unavailable", ({ createDatabase }) => {
  const database = useDatabase(createDatabase);

  test("while PostgreSQL is unavailable, the platform reports alive but not ready", async () => {
    if (database.options.databaseUrl === undefined) throw new Error("This test requires PostgreSQL.");
    const platform = await openPlatform(database);
    const url = new URL(database.options.databaseUrl);
    const name = url.pathname.slice(1);
    url.pathname = "/postgres";
    const admin = new pg.Client(url.href);
    await admin.connect();
    await admin.query(`alter database ${name} with allow_connections false`);
    await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
    const unavailable = await platform.call("GET", "/readyz");
    expect(unavailable.status).toBe(503);
    expect(unavailable.json()).toMatchObject({ code: "service_unavailable" });
    expect(platform.logLines.filter((line) => line.includes("http.failed"))).toEqual([]);
    expect((await platform.call("GET", "/healthz")).status).toBe(200);
    await admin.query(`alter database ${name} with allow_connections true`);
    await eventually("the platform is ready again", async () => (await platform.call("GET", "/readyz")).status === 200);
    await admin.end();
    await platform.close();
  });
});
