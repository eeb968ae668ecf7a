import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PgliteStatements } from "../../src/store/pglite/pglite-statements.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { useDatabase } from "../support/use-opened.ts";

const [pglite] = await storesUnderTest();

describe("prepared statements on PGlite", () => {
  const testDatabase = useDatabase(pglite.createDatabase);
  let database: PGlite;
  let statements: PgliteStatements;
  beforeAll(async () => {
    database = await PGlite.create(join(testDatabase.options.dataFolder, "pglite"));
  });
  beforeEach(() => {
    statements = new PgliteStatements(database);
    return database.exec(
      "deallocate all; drop table if exists shift; create table shift (id int primary key, at timestamptz)",
    );
  });
  afterAll(() => database.close());
  const countPrepared = async () => (await database.query("select name from pg_prepared_statements")).rows.length;

  test("prepared statements read and write every type as PGlite itself does", async () => {
    const sql = `select $1::int8 as big, $2::timestamptz as at, $3::jsonb as data, $4::text[] as list, $5::bool as flag,
      $6::bytea as bytes, $7::float8 as ratio, $8::text as missing, $9::uuid as id`;
    const at = new Date("2031-05-01T10:00:00.123Z");
    const bytes = new Uint8Array([0, 255]);
    const id = "3f2c1b6e-8a54-4c0e-9d6f-0a1b2c3d4e5f";
    const values = [7, at, { a: [1, null] }, ["x", 'y"z'], false, bytes, 0.5, null, id];
    const { rows } = await statements.run(sql, values);
    expect(rows).toEqual([
      { big: 7, at, data: { a: [1, null] }, list: ["x", 'y"z'], flag: false, bytes, ratio: 0.5, missing: null, id },
    ]);
    expect(rows).toEqual((await database.query(sql, values)).rows);
  });

  test("prepared statements report how many rows they wrote", async () => {
    const insert = "insert into shift select generate_series(1, $1::int)";
    expect(await statements.run(insert, [3])).toEqual({ rows: [], affectedRows: 3 });
    expect(await statements.run("delete from shift where id > $1 returning id", [1])).toEqual({
      rows: [{ id: 2 }, { id: 3 }],
      affectedRows: 2,
    });
  });

  test("prepared statements fail with PostgreSQL's code, and work again afterwards", async () => {
    const insert = "insert into shift (id) values ($1)";
    await statements.run(insert, [1]);
    await expect(statements.run(insert, [1])).rejects.toMatchObject({ code: "23505", constraint: "shift_pkey" });
    await expect(statements.run("select $1::int from nowhere", [1])).rejects.toMatchObject({ code: "42P01" });
    expect(await statements.run(insert, [2])).toMatchObject({ affectedRows: 1 });
  });

  test("prepared statements are rejected in a failed transaction until it is rolled back", async () => {
    const select = "select id from shift where id = $1";
    await database.exec("begin");
    await expect(statements.run("select 1 / $1::int", [0])).rejects.toMatchObject({ code: "22012" });
    await expect(statements.run(select, [1])).rejects.toMatchObject({ code: "25P02" });
    await database.exec("rollback");
    expect(await statements.run(select, [1])).toMatchObject({ rows: [] });
  });

  test("the two hundred most recently used prepared statements are cached", async () => {
    await statements.run("select $1::int as first", [1]);
    for (let number = 0; number < 150; number += 1) await statements.run(`select $1::int as n${number}`, [number]);
    await statements.run("select $1::int as first", [1]);
    expect(await countPrepared()).toBe(151);
    for (let number = 0; number < 150; number += 1) await statements.run(`select $1::int as m${number}`, [number]);
    expect(await countPrepared()).toBe(200);
    const { rows } = await database.query("select 1 from pg_prepared_statements where statement like '%as first'");
    expect(rows).toHaveLength(1);
    expect(await statements.run("select $1::int as n0", [5])).toMatchObject({ rows: [{ n0: 5 }] });
  });
});
