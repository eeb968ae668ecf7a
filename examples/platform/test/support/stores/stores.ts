import { randomUUID } from "node:crypto";
import { cpSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { templateAt } from "../../../../../tools/test-database.ts";
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
  /** For the titles of tests: `PGlite`, `PostgreSQL 15.20`. */
  title: string;
  /** @param tables `none` for tests of the migrations @default migrated */
  createDatabase(tables?: "migrated" | "none"): Promise<TestDatabase>;
}

const defaultDatabaseUrl = "postgres://postgres@127.0.0.1:5432/postgres";

async function createFolder(): Promise<TestDatabase> {
  const dataFolder = await mkdtemp(join(process.env.TEST_STORES ?? tmpdir(), "offers-store-"));
  return { options: { dataFolder }, remove: () => rm(dataFolder, { recursive: true, force: true }) };
}

async function createPgliteFolder(tables = "migrated"): Promise<TestDatabase> {
  const database = await createFolder();
  if (tables === "none") return database;
  // More than a thousand small files: one call copies them at a tenth of the CPU of as many promises.
  cpSync(await migratedPglite(), join(database.options.dataFolder, "pglite"), { recursive: true });
  return database;
}

async function withClient<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 2_000 });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function databaseAt(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

const dropDatabase = (serverUrl: string, name: string): Promise<unknown> =>
  withClient(serverUrl, (client) => client.query(`drop database if exists ${name} with (force)`));

/**
 * Drops the databases of this run. PostgreSQL makes a checkpoint for each that is dropped, which takes a second beside tests;
 * those that are dropped at the same time share one: 120 took 11 s by 20 connections, and 7 s by 60. By default, a server has
 * connections for two runs that end at once.
 */
async function dropDatabases(serverUrl = process.env.DATABASE_URL || defaultDatabaseUrl): Promise<void> {
  const template = templateAt(serverUrl);
  if (template === undefined) return;
  const { rows } = await withClient(serverUrl, (client) =>
    client.query<{ name: string }>("select datname as name from pg_database where starts_with(datname, $1)", [
      `${template}_`,
    ]),
  );
  const next = rows.values();
  const dropRest = async (): Promise<void> => {
    for (const { name } of next) await dropDatabase(serverUrl, name);
  };
  await Promise.all(Array.from({ length: 45 }, dropRest));
}

async function createPostgresDatabase(serverUrl: string, tables = "migrated"): Promise<TestDatabase> {
  const template = templateAt(serverUrl);
  const id = randomUUID().replaceAll("-", "");
  const name = template ? `${template}_${id.slice(-12)}` : `offers_test_${id}`;
  await withClient(serverUrl, async (client) => {
    await client.query(`create database ${name}${template && tables === "migrated" ? ` template ${template}` : ""}`);
    // A test's commits need not survive a crash of the server.
    if (template) await client.query(`alter database ${name} set synchronous_commit to off`);
  });
  const folder = await createFolder();
  return {
    options: { ...folder.options, databaseUrl: databaseAt(serverUrl, name) },
    async remove() {
      // Those of a run are dropped at its end.
      if (template === undefined) await dropDatabase(serverUrl, name);
      await folder.remove();
    },
  };
}

async function postgresVersion(serverUrl: string): Promise<string | undefined> {
  return withClient(serverUrl, async (client) => {
    const { rows } = await client.query<{ version: string }>("select current_setting('server_version') as version");
    return rows[0]?.version.split(" ")[0];
  });
}

/**
 * PGlite always; PostgreSQL when one is reachable. Every test of the store runs on each.
 *
 * @param databaseUrl when given, an unreachable PostgreSQL is an error
 */
export async function storesUnderTest(databaseUrl = process.env.DATABASE_URL || undefined): Promise<StoreUnderTest[]> {
  const serverUrl = databaseUrl ?? defaultDatabaseUrl;
  const version = await postgresVersion(serverUrl).catch((cause: unknown) => {
    if (databaseUrl !== undefined) throw new Error("no PostgreSQL is reachable at DATABASE_URL", { cause });
    return undefined;
  });
  const stores: StoreUnderTest[] = [{ title: "PGlite", createDatabase: createPgliteFolder }];
  if (version !== undefined)
    stores.push({
      title: `PostgreSQL ${version}`,
      createDatabase: (tables) => createPostgresDatabase(serverUrl, tables),
    });
  return stores;
}

/**
 * One store, for tests that do not depend on the store: PostgreSQL when there is one, which costs a third of the CPU. All
 * stores in the full matrix (`npm test -- --full`).
 */
export async function anyStore(): Promise<StoreUnderTest[]> {
  const stores = await storesUnderTest();
  return process.env.TEST_MATRIX === "full" ? stores : stores.slice(-1);
}

/**
 * Vitest's global setup: prints once which stores the tests run on, and creates the templates that test databases copy.
 *
 * @returns removes the templates
 */
export async function setup(): Promise<() => Promise<void>> {
  const stores = await storesUnderTest();
  const titles = stores.map(({ title }) => title);
  const [rest] = await anyStore();
  const missing = titles.length === 1 ? "; no PostgreSQL at 127.0.0.1:5432, and DATABASE_URL is not set" : "";
  const shared = process.env.TEST_MATRIX === "full" ? titles.join(", ") : rest?.title;
  console.log(`stores under test: ${titles.join(", ")}${missing}; rules that no store can change: ${shared}`);
  // Before the workers start, so that only one process creates it.
  await migratedPglite();
  const folder = await folderInMemory("offers-stores-");
  process.env.TEST_STORES = folder;
  // When a run is interrupted too: the folder is in memory.
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
