import pg from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { pingDatabase } from "../../src/metrics/ping-database.ts";
import { openStore } from "../../src/store/open-store.ts";
import { eventually } from "../support/eventually.ts";
import { openPlatform } from "../support/platform-under-test.ts";
import { type StorePlace, storesUnderTest } from "../support/stores/stores.ts";

const places: StorePlace[] = [];
const stores = await storesUnderTest();
afterEach(async () => {
  for (const place of places.splice(0)) await place.remove();
});

describe.each(stores)("health on $title", ({ createPlace }) => {
  const newPlace = async (): Promise<StorePlace> => {
    const place = await createPlace();
    places.push(place);
    return place;
  };

  test("it is alive and ready, and reveals nothing else", async () => {
    const platform = await openPlatform(await newPlace());
    const [alive, ready] = [await platform.call("GET", "/healthz"), await platform.call("GET", "/readyz")];
    expect([alive.status, alive.text]).toEqual([200, '{"status":"alive"}']);
    expect([ready.status, ready.text]).toEqual([200, '{"status":"ready"}']);
    await platform.close();
  });

  test("a store that does not respond within two seconds is not ready, and is ready again when it responds", async () => {
    const store = await openStore(await newPlace().then(({ options }) => options));
    expect(await pingDatabase(store)).toBe(true);
    // PGlite has one connection, the pool of PostgreSQL twenty.
    let free = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      free = resolve;
    });
    const busy = Array.from({ length: 20 }, () => store.transaction(() => held));
    expect(await pingDatabase(store)).toBe(false);
    free();
    await Promise.all(busy);
    expect(await pingDatabase(store)).toBe(true);
    await store.close();
  });
});

describe.each(stores.slice(1))("health while $title is away", ({ createPlace }) => {
  test("it is alive but not ready, and ready when PostgreSQL is back", async () => {
    const place = await createPlace();
    if (place.options.databaseUrl === undefined) throw new Error("there is a PostgreSQL");
    places.push(place);
    const platform = await openPlatform(place);
    const database = new URL(place.options.databaseUrl);
    const name = database.pathname.slice(1);
    database.pathname = "/postgres";
    const admin = new pg.Client(database.href);
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
