import type { Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import * as tables from "./migrations/001-tables.ts";
import type { Tables } from "./tables.ts";

/** Applied in the order of their names. One that was released never changes again: add the next. */
const migrations = { "001-tables": tables };

/** Brings the tables up to date. Two processes may start at once: kysely's migrator takes an advisory lock. */
export async function migrate(db: Kysely<Tables>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
