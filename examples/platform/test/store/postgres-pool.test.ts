import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openPool } from "../../src/store/postgres-pool.ts";
import { type Cable, openCable } from "../support/cable.ts";
import { type StorePlace, storesUnderTest } from "../support/stores/stores.ts";

// A busy machine may take a second for what takes 10 ms on a quiet one.
const silenceMs = 3_000;
const shared = (await storesUnderTest()).filter(({ title }) => title !== "PGlite");

describe.each(shared)("connections to $title", ({ createPlace }) => {
  let place: StorePlace;
  let cable: Cable;
  let databaseUrl: string;

  beforeEach(async () => {
    place = await createPlace();
    const direct = new URL(place.options.databaseUrl ?? "");
    cable = await openCable(`http://${direct.host}`);
    direct.host = new URL(cable.address).host;
    databaseUrl = direct.href;
  });
  afterEach(async () => {
    await cable.close();
    await place.remove();
  });

  test("that go silent are given up, and others take their place", async () => {
    const errors: unknown[] = [];
    const pool = openPool(databaseUrl, (error) => errors.push(error), silenceMs);
    const client = await pool.connect();
    expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    cable.silence();
    await expect(client.query("select 2 as two")).rejects.toThrow(`said nothing for ${silenceMs} ms`);
    // As kysely does in a transaction: it must not wait on the same connection for ever.
    await expect(client.query("rollback")).rejects.toThrow();
    client.release(true);
    expect((await pool.query("select 3 as three")).rows).toEqual([{ three: 3 }]);
    await pool.end();
  });

  test("last as long as somebody speaks", async () => {
    const pool = openPool(databaseUrl, () => undefined, silenceMs);
    const client = await pool.connect();
    for (let times = 0; times < 4; times += 1) expect((await client.query("select pg_sleep(1)")).rows).toHaveLength(1);
    client.release();
    await pool.end();
  });
});
