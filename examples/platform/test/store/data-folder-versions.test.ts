import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { describe, expect, onTestFinished, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { prepareClusterFiles } from "../../src/store/pglite/cluster-files.ts";
import { type StoreUnderTest, storesUnderTest } from "../support/stores/stores.ts";

const stores = await storesUnderTest();

async function newDatabase({ createDatabase }: StoreUnderTest, tables?: "none") {
  const database = await createDatabase(tables);
  onTestFinished(() => database.remove());
  return database.options;
}

describe.each(stores)("tables on $title", (store) => {
  test("of a later version are refused, and are left as they are", async () => {
    const options = await newDatabase(store);
    const opened = await openStore(options);
    const later = sql`insert into kysely_migration (name, timestamp) values ('999-later', '2099-01-01')`;
    await later.execute(opened.db);
    await opened.close();
    const refusal = expect.objectContaining({ code: "newer_tables", message: expect.stringContaining("999-later") });
    await expect(openStore(options)).rejects.toEqual(refusal);
    await expect(openStore(options)).rejects.toEqual(refusal);
  });
});

describe.each(stores.slice(0, 1))("the data folder of $title", (store) => {
  test.each([
    ["17\n", "by PostgreSQL 17"],
    [undefined, "by another program"],
  ])("with files of version %j is refused in words", async (version, words) => {
    const { dataFolder } = await newDatabase(store, "none");
    const folder = join(dataFolder, "pglite");
    await mkdir(folder);
    if (version !== undefined) await writeFile(join(folder, "PG_VERSION"), version);
    const refusal = { code: "data_folder_incompatible", message: expect.stringContaining(words) };
    await expect(openStore({ dataFolder })).rejects.toEqual(expect.objectContaining(refusal));
  });

  test("whose creation was killed is created again, and one that was opened stays", async () => {
    const { dataFolder } = await newDatabase(store, "none");
    const killed = await prepareClusterFiles(dataFolder);
    await mkdir(killed.folder);
    await writeFile(join(killed.folder, "PG_VERSION"), "1");
    const again = await prepareClusterFiles(dataFolder);
    expect(existsSync(again.folder)).toBe(false);
    await mkdir(again.folder);
    await writeFile(join(again.folder, "PG_VERSION"), "18\n");
    await again.opened();
    await prepareClusterFiles(dataFolder);
    expect(existsSync(join(again.folder, "PG_VERSION"))).toBe(true);
  });
});
