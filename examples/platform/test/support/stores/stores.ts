import { cpSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDatabase, dropDatabases, getServerPool } from "../../../../../scripts/test-database.ts";
import type { StoreOptions } from "../../../src/store/open-store.ts";
import { createTables } from "../make-tables.ts";
import { createTemporaryFolder } from "./folder-in-memory.ts";
import { getMigratedPglite } from "./migrated-pglite.ts";

/** The data folder of a test file and, on PostgreSQL, its database. */
export interface TestDatabase {
  options: Required<Pick<StoreOptions, "dataFolder">> & Pick<StoreOptions, "databaseUrl" | "listenUrl">;
  remove(): Promise<void>;
}

export interface StoreUnderTest {
  /** A name for test titles, such as `PGlite` or `PostgreSQL 15.20`. */
  title: string;
  /** Creates a database. @param tables `none` leaves the database empty, to test migrations @default migrated */
  createDatabase(tables?: "migrated" | "none"): Promise<TestDatabase>;
}

/** PGlite is always available, so there is at least one store. */
type Stores = [StoreUnderTest, ...StoreUnderTest[]];

async function createDataFolder(): Promise<TestDatabase> {
  const dataFolder = await mkdtemp(join(process.env.TEST_STORES ?? tmpdir(), "offers-store-"));
  return { options: { dataFolder }, remove: () => rm(dataFolder, { recursive: true, force: true }) };
}

async function createPgliteFolder(tables: "migrated" | "none" = "migrated"): Promise<TestDatabase> {
  const database = await createDataFolder();
  if (tables === "none") return database;
  // Copy synchronously, because the folder has more than a thousand small files, and a promise for each would be slower.
  cpSync(await getMigratedPglite(), join(database.options.dataFolder, "pglite"), { recursive: true });
  return database;
}

async function createPostgresDatabase(
  serverUrl: string | undefined,
  tables: "migrated" | "none" = "migrated",
): Promise<TestDatabase> {
  const database = await createDatabase(tables, serverUrl);
  const folder = await createDataFolder();
  return {
    options: { ...folder.options, databaseUrl: database.url },
    async remove() {
      await database.drop();
      await folder.remove();
    },
  };
}

async function readPostgresVersion(serverUrl: string | undefined): Promise<string | undefined> {
  const { rows } = await getServerPool(serverUrl).query<{ version: string }>(
    "select current_setting('server_version') as version",
  );
  return rows[0]?.version.split(" ")[0];
}

/**
 * Returns PGlite and, if a server is reachable, PostgreSQL. Tests that depend on the store run on both.
 *
 * @throws if `databaseUrl` is set but PostgreSQL is unreachable
 */
export async function storesUnderTest(databaseUrl = process.env.DATABASE_URL || undefined): Promise<Stores> {
  const version = await readPostgresVersion(databaseUrl).catch((cause: unknown) => {
    if (databaseUrl !== undefined) throw new Error("no PostgreSQL is reachable at DATABASE_URL", { cause });
    return undefined;
  });
  const stores: Stores = [{ title: "PGlite", createDatabase: createPgliteFolder }];
  if (version !== undefined)
    stores.push({
      title: `PostgreSQL ${version}`,
      createDatabase: (tables) => createPostgresDatabase(databaseUrl, tables),
    });
  return stores;
}

/**
 * Returns the stores for tests that behave the same on every store. In the full matrix (`npm test -- --full`), these are all stores.
 * Otherwise, it is one store: PostgreSQL if it is reachable, because it is faster.
 */
export async function anyStore(): Promise<Stores> {
  const stores = await storesUnderTest();
  return process.env.TEST_MATRIX === "full" ? stores : [stores.at(-1) ?? stores[0]];
}

/**
 * Vitest's global setup: prints which stores the tests run on, and creates the templates that test databases copy.
 *
 * @returns a function that drops the PostgreSQL databases and removes the template
 */
export async function setup(): Promise<() => Promise<void>> {
  const stores = await storesUnderTest();
  const missing =
    stores.length === 1 ? "; NOT tested: PostgreSQL (none at 127.0.0.1:5432, and DATABASE_URL is not set)" : "";
  const defaultTitles = joinTitles(await anyStore());
  console.log(`   platform: ${joinTitles(stores)}${missing}; tests that do not depend on the store: ${defaultTitles}`);
  // Create the PGlite template before Vitest's workers start, so that they need not create it concurrently.
  await getMigratedPglite();
  const folder = await createTemporaryFolder("offers-stores-");
  process.env.TEST_STORES = folder;
  // The folder uses memory, so remove it even if the run is interrupted.
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const template = await stores[1]?.createDatabase("none");
  if (template?.options.databaseUrl !== undefined) {
    await createTables(template.options);
    process.env.TEST_DATABASE_TEMPLATE = template.options.databaseUrl;
  }
  return async () => {
    await dropDatabases();
    await template?.remove();
  };
}

const joinTitles = (stores: Stores): string => stores.map(({ title }) => title).join(", ");
