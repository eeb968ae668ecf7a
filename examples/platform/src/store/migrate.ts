import { sql } from "kysely";
import { Migrator } from "kysely/migration";
import * as tables from "./migrations/001-tables.ts";
import * as portal from "./migrations/002-portal.ts";
import * as feedsAndTraces from "./migrations/003-feeds-and-traces.ts";
import { shards } from "./migrations/004-shards.ts";
import * as windows from "./migrations/005-windows.ts";
import { attemptsByWeek } from "./migrations/006-attempts-by-week.ts";
import { type Store, StoreError, shardCounts } from "./store.ts";

/** Applied in the order of their names. One that was released never changes again: add the next. */
export const migrationsOf = (name: Store["name"]) => ({
  "001-tables": tables,
  "002-portal": portal,
  "003-feeds-and-traces": feedsAndTraces,
  "004-shards": shards(shardCounts[name]),
  "005-windows": windows,
  "006-attempts-by-week": attemptsByWeek(name === "postgres"),
});

/**
 * Brings the tables up to date. Two processes may start at once: kysely's migrator takes an advisory lock.
 *
 * @throws {StoreError} `newer_tables` for migrations that only a later version has: nothing says how to undo them
 */
export async function migrate(store: Pick<Store, "db" | "name">): Promise<void> {
  const { db, name } = store;
  // The migrator reads the columns of all tables first, which takes PGlite 130 ms and PostgreSQL 24.
  if (await isMigrated(store)) return;
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrationsOf(name) } });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  // A later version may have started at the same time, and migrated first.
  await isMigrated(store);
  throw error;
}

/**
 * @returns whether every migration is applied
 * @throws {StoreError} `newer_tables`
 */
async function isMigrated({ db, name }: Pick<Store, "db" | "name">): Promise<boolean> {
  const { rows } = await sql<{ table: string | null }>`select to_regclass('kysely_migration') as table`.execute(db);
  if (!rows[0]?.table) return false;
  const migrations = migrationsOf(name);
  const applied = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  const unknown = applied.rows.find((each) => !(each.name in migrations));
  if (unknown === undefined) return applied.rows.length === Object.keys(migrations).length;
  throw new StoreError(
    "newer_tables",
    `the tables are those of a later version, which has applied ${unknown.name}; use that version, or another data folder or database`,
  );
}
