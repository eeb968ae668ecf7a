import pg from "pg";
import { describe, expect, test } from "vitest";
import { pingDatabase } from "../../src/observability/health.ts";
import { eventually } from "../support/eventually.ts";
import { openPlatform } from "../support/platform-under-test.ts";
import { anyStore, storesUnderTest } from "../support/stores/stores.ts";
import { useDatabase, usePlatform, useStore } from "../support/use-opened.ts";

const stores = await storesUnderTest();

// The next block tests the ping itself.
describe.each(await anyStore())("health on $title", ({ createDatabase }) => {
  const platform = usePlatform({ createDatabase });

  test("reports alive and ready, and reveals nothing else", async () => {
    const [alive, ready] = [await platform.call("GET", "/healthz"), await platform.call("GET", "/readyz")];
    expect([alive.status, alive.text]).toEqual([200, '{"status":"alive"}']);
    expect([ready.status, ready.text]).toEqual([200, '{"status":"ready"}']);
  });

  test("keeps an idle connection open longer than a proxy does: nginx and ALB 60 s, Caddy 120 s", async () => {
    const { headers } = await platform.call("GET", "/healthz");
    expect(Number(/^timeout=(\d+)$/.exec(headers.get("keep-alive") ?? "")?.[1])).toBeGreaterThan(120);
  });
});

describe.each(stores)("health on $title", ({ createDatabase }) => {
  const store = useStore({ createDatabase });

  test("reports not ready while the store does not respond within two seconds, and ready afterwards", async () => {
    expect(await pingDatabase(store)).toBe(true);
    // PGlite has one connection, and PostgreSQL's pool has twenty.
    let free = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      free = resolve;
    });
    // The first transaction of a store takes longer to start.
    await store.transaction(async () => undefined);
    const busy = Array.from({ length: 20 }, () => store.transaction(() => held));
    expect(await pingDatabase(store)).toBe(false);
    free();
    await Promise.all(busy);
    expect(await pingDatabase(store)).toBe(true);
  });
});

describe.each(stores.slice(1))("health while $title is unavailable", ({ createDatabase }) => {
  const database = useDatabase(createDatabase);

  test("reports alive but not ready, and ready when PostgreSQL is back", async () => {
    if (database.options.databaseUrl === undefined) throw new Error("there is a PostgreSQL");
    const platform = await openPlatform(database);
    const url = new URL(database.options.databaseUrl);
    const name = url.pathname.slice(1);
    url.pathname = "/postgres";
    const admin = new pg.Client(url.href);
    await admin.connect();
    await admin.query(`alter database ${name} with allow_connections false`);
    await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
    const away = await platform.call("GET", "/readyz");
    expect(away.status).toBe(503);
    expect(away.json()).toMatchObject({ code: "service_unavailable" });
    expect(platform.logLines.filter((line) => line.includes("http.failed"))).toEqual([]);
    expect((await platform.call("GET", "/healthz")).status).toBe(200);
    await admin.query(`alter database ${name} with allow_connections true`);
    await eventually("it is ready", async () => (await platform.call("GET", "/readyz")).status === 200);
    await admin.end();
    await platform.close();
  });
});
