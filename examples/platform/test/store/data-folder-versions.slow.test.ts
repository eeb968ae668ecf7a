import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { prepareClusterFiles } from "../../src/store/pglite/cluster-files.ts";
import { eventually } from "../support/eventually.ts";
import { type StoreUnderTest, storesUnderTest } from "../support/stores/stores.ts";

const stores = await storesUnderTest();

async function createStoreOptions({ createDatabase }: StoreUnderTest, tables?: "none") {
  const database = await createDatabase(tables);
  onTestFinished(() => database.remove());
  return database.options;
}

describe.each(stores)("tables on $title", (store) => {
  test("tables from a later version are rejected and left unchanged [D-107]", async () => {
    const options = await createStoreOptions(store);
    const opened = await openStore(options);
    const insertLater = sql`insert into kysely_migration (name, timestamp) values ('999-later', '2099-01-01')`;
    await insertLater.execute(opened.db);
    await opened.close();
    const rejection = expect.objectContaining({ code: "newer_tables", message: expect.stringContaining("999-later") });
    await expect(openStore(options)).rejects.toEqual(rejection);
    await expect(openStore(options)).rejects.toEqual(rejection);
  });
});

describe.each(stores)("tables from before the first release on $title", (store) => {
  test("tables from before the first release are rejected, and the message explains what to remove [D-107]", async () => {
    const options = await createStoreOptions(store);
    const opened = await openStore(options);
    // The migrations from the last version before the first release.
    const names = [
      "001-tables",
      "002-portal",
      "003-feeds-and-traces",
      "004-shards",
      "005-windows",
      "006-attempts-by-week",
    ];
    await opened.execute("delete from kysely_migration");
    for (const name of names) await opened.execute("insert into kysely_migration values ($1, '2026-11-26')", [name]);
    const { rows } = await opened.execute("select current_database() as name");
    await opened.close();
    const remedy =
      options.databaseUrl === undefined ? "remove the folder pglite" : `drop the database ${rows[0]?.name}`;
    const rejection = expect.objectContaining({ code: "unreleased_tables", message: expect.stringContaining(remedy) });
    await expect(openStore(options)).rejects.toEqual(rejection);
    await expect(openStore(options)).rejects.toEqual(rejection);
  });
});

describe.each(stores.slice(1))("simultaneous starts of two versions on $title", (store) => {
  test("a version that starts while a later version migrates is rejected with the same message", async () => {
    const options = await createStoreOptions(store, "none");
    const laterVersion = new pg.Client(options.databaseUrl);
    await laterVersion.connect();
    onTestFinished(() => laterVersion.end());
    // Take the lock of kysely's migrator.
    await laterVersion.query("begin; select pg_advisory_xact_lock(3853314791062309107)");
    const rejection = expect.objectContaining({ code: "newer_tables", message: expect.stringContaining("999-later") });
    const rejected = expect(openStore(options)).rejects.toEqual(rejection);
    await eventually("the earlier version waits for the lock", async () => {
      const { rowCount } = await laterVersion.query(
        "select from pg_locks join pg_database on pg_database.oid = database where not granted and datname = current_database()",
      );
      return rowCount === 1;
    });
    await laterVersion.query(
      "insert into kysely_migration (name, timestamp) values ('999-later', '2099-01-01'); commit",
    );
    await rejected;
  });
});

describe.each(stores.slice(0, 1))("the data folder of $title [D-107]", (store) => {
  test.each([
    ["17\n", "by PostgreSQL 17"],
    [undefined, "by another program"],
  ])("a data folder with files of version %j is rejected with an explanation", async (version, explanation) => {
    const { dataFolder } = await createStoreOptions(store, "none");
    const folder = join(dataFolder, "pglite");
    await mkdir(folder);
    if (version !== undefined) await writeFile(join(folder, "PG_VERSION"), version);
    const rejection = { code: "data_folder_incompatible", message: expect.stringContaining(explanation) };
    await expect(openStore({ dataFolder })).rejects.toEqual(expect.objectContaining(rejection));
  });

  test("a data folder is created again if its creation was interrupted, but not once it has been opened", async () => {
    const { dataFolder } = await createStoreOptions(store, "none");
    const interrupted = await prepareClusterFiles(dataFolder);
    await writeFile(join(interrupted.folder, "PG_VERSION"), "1");
    const retried = await prepareClusterFiles(dataFolder);
    expect(await readdir(retried.folder)).toEqual([]);
    await writeFile(join(retried.folder, "PG_VERSION"), "18\n");
    await retried.markOpened();
    await prepareClusterFiles(dataFolder);
    expect(existsSync(join(retried.folder, "PG_VERSION"))).toBe(true);
  });
});
