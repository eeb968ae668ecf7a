import { sql } from "kysely";
import { Migrator } from "kysely/migration";
import { firstRelease } from "./migrations/001-first-release.ts";
import { optionalEvents } from "./migrations/002-optional-events.ts";
import { namesInOrder } from "./migrations/003-names-in-order.ts";
import { sharedLimits } from "./migrations/004-shared-limits.ts";
import { signInAddresses } from "./migrations/005-sign-in-addresses.ts";
import { type Store, StoreError } from "./store.ts";

/** Returns the migrations, which are applied in the order of their names. Add a new migration instead of changing a released one. */
export const migrationsFor = (name: Store["name"]) => ({
  "001-first-release": firstRelease(name === "postgres"),
  "002-optional-events": optionalEvents,
  "003-names-in-order": namesInOrder,
  "004-shared-limits": sharedLimits,
  "005-sign-in-addresses": signInAddresses,
});

/** The migrations of versions before the first release. Their schemas cannot be migrated. */
const unreleasedMigrations = [
  "001-tables",
  "002-portal",
  "003-feeds-and-traces",
  "004-shards",
  "005-windows",
  "006-attempts-by-week",
];

/**
 * Migrates the schema to the current version. Processes may start concurrently, because kysely's migrator acquires an advisory lock.
 *
 * @throws {StoreError} `newer_tables` if a later version has migrated the schema, which cannot be undone; `unreleased_tables` if a
 *   version before the first release created it
 */
export async function migrate(store: Pick<Store, "db" | "name" | "label">): Promise<void> {
  const { db, name } = store;
  // Skip the migrator, which is slow on PGlite because it first reads the columns of all tables.
  if (await isMigrated(store)) return;
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrationsFor(name) } });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  // A later version may have started at the same time and migrated first.
  await isMigrated(store);
  throw error;
}

/**
 * Checks which migrations have been applied.
 *
 * @returns whether all of them have been applied
 * @throws {StoreError} `newer_tables` or `unreleased_tables`
 */
async function isMigrated({ db, name, label }: Pick<Store, "db" | "name" | "label">): Promise<boolean> {
  const { rows } = await sql<{ table: string | null }>`select to_regclass('kysely_migration') as table`.execute(db);
  if (!rows[0]?.table) return false;
  const migrations = migrationsFor(name);
  const appliedMigrations = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  const unknownMigration = appliedMigrations.rows.find((migration) => !(migration.name in migrations));
  if (unknownMigration !== undefined && unreleasedMigrations.includes(unknownMigration.name))
    throw await unreleasedTablesError(db, { name, label });
  if (unknownMigration === undefined) return appliedMigrations.rows.length === Object.keys(migrations).length;
  throw new StoreError(
    "newer_tables",
    `the schema belongs to a later version, which has applied ${unknownMigration.name}; use that version, or choose a different data folder or database`,
  );
}

async function unreleasedTablesError(
  db: Store["db"],
  { name, label }: Pick<Store, "name" | "label">,
): Promise<StoreError> {
  const currentDatabase = await sql<{ name: string }>`select current_database() as name`.execute(db);
  const remedy =
    name === "pglite"
      ? "remove the folder pglite in the data folder"
      : `drop the database ${currentDatabase.rows[0]?.name} and create it again, or use a different database`;
  return new StoreError(
    "unreleased_tables",
    `${label}: the schema belongs to a version before the first release and can no longer be read; to start with a new schema, ${remedy}`,
  );
}
