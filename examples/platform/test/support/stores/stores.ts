import { cpSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDatabase, dropDatabases, serverPoolAt } from "../../../../../scripts/test-database.ts";
import type { StoreOptions } from "../../../src/store/open-store.ts";
import { makeTables } from "../make-tables.ts";
import { folderInMemory } from "./folder-in-memory.ts";
import { migratedPglite } from "./migrated-pglite.ts";

/** A data folder, and on PostgreSQL a database, for one test file. */
export interface TestDatabase {
  options: Required<Pick<StoreOptions, "dataFolder">> & Pick<StoreOptions, "databaseUrl" | "listenUrl">;
  remove(): Promise<void>;
}

export interface StoreUnderTest {
  /** A name for test titles, such as `PGlite` or `PostgreSQL 15.20`. */
  title: string;
  /** Creates a database. @param tables pass `none` to test migrations @default migrated */
  createDatabase(tables?: "migrated" | "none"): Promise<TestDatabase>;
}

async function createFolder(): Promise<TestDatabase> {
  const dataFolder = await mkdtemp(join(process.env.TEST_STORES ?? tmpdir(), "offers-store-"));
  return { options: { dataFolder }, remove: () => rm(dataFolder, { recursive: true, force: true }) };
}

async function createPgliteFolder(tables = "migrated"): Promise<TestDatabase> {
  const database = await createFolder();
  if (tables === "none") return database;
  // Copy synchronously, because a promise for each of more than a thousand small files is slower.
  cpSync(await migratedPglite(), join(database.options.dataFolder, "pglite"), { recursive: true });
  return database;
}

async function createPostgresDatabase(
  serverUrl: string | undefined,
  tables: "migrated" | "none" = "migrated",
): Promise<TestDatabase> {
  const database = await createDatabase(tables, serverUrl);
  const folder = await createFolder();
  return {
    options: { ...folder.options, databaseUrl: database.url },
    async remove() {
      await database.drop();
      await folder.remove();
    },
  };
}

async function postgresVersion(serverUrl: string | undefined): Promise<string | undefined> {
  const { rows } = await serverPoolAt(serverUrl).query<{ version: string }>(
    "select current_setting('server_version') as version",
  );
  return rows[0]?.version.split(" ")[0];
}

/**
 * Returns PGlite and, if it is reachable, PostgreSQL. Every test of the store runs on each.
 *
 * @param databaseUrl if set, an unreachable PostgreSQL is an error
 */
export async function storesUnderTest(databaseUrl = process.env.DATABASE_URL || undefined): Promise<StoreUnderTest[]> {
  const version = await postgresVersion(databaseUrl).catch((cause: unknown) => {
    if (databaseUrl !== undefined) throw new Error("no PostgreSQL is reachable at DATABASE_URL", { cause });
    return undefined;
  });
  const stores: StoreUnderTest[] = [{ title: "PGlite", createDatabase: createPgliteFolder }];
  if (version !== undefined)
    stores.push({
      title: `PostgreSQL ${version}`,
      createDatabase: (tables) => createPostgresDatabase(databaseUrl, tables),
    });
  return stores;
}

/**
 * Returns one store, for tests that do not depend on the store: PostgreSQL if it is reachable, because it is faster. Returns all stores in
 * the full matrix (`npm test -- --full`).
 */
export async function anyStore(): Promise<StoreUnderTest[]> {
  const stores = await storesUnderTest();
  return process.env.TEST_MATRIX === "full" ? stores : stores.slice(-1);
}

/**
 * Vitest's global setup: prints which stores the tests run on, and creates the templates that test databases copy.
 *
 * @returns a function that removes the templates
 */
export async function setup(): Promise<() => Promise<void>> {
  const stores = await storesUnderTest();
  const titles = stores.map(({ title }) => title);
  const [rest] = await anyStore();
  const missing =
    titles.length === 1 ? "; NOT tested: PostgreSQL (none at 127.0.0.1:5432, and DATABASE_URL is not set)" : "";
  const shared = process.env.TEST_MATRIX === "full" ? titles.join(", ") : rest?.title;
  console.log(`   platform: ${titles.join(", ")}${missing}; what does not depend on the store: ${shared}`);
  // Create it before the workers start, so that only one process does.
  await migratedPglite();
  const folder = await folderInMemory("offers-stores-");
  process.env.TEST_STORES = folder;
  // Remove it even if a run is interrupted, because the folder is in memory.
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const template = await stores[1]?.createDatabase("none");
  if (template?.options.databaseUrl !== undefined) {
    await makeTables(template.options);
    process.env.TEST_DATABASE_TEMPLATE = template.options.databaseUrl;
  }
  return async () => {
    await dropDatabases();
    await template?.remove();
  };
}
