import type { Store } from "../../src/store/store.ts";

/** Tables that are kept, because a process fills them when it opens a store. */
const kept = ["kysely_migration", "kysely_migration_lock", "encryption_key_check", "outbox_processes"];

/** Deletes a test's data. Avoids `truncate`, which is slow on PostgreSQL because it creates new files for each table and index. */
export async function emptyTables(store: Store): Promise<void> {
  await store.execute(`do $$
    declare name text;
    begin
      -- Disables the triggers of foreign keys, so that the order of the tables does not matter.
      perform set_config('session_replication_role', 'replica', true);
      for name in select tablename from pg_tables where schemaname = 'public' and tablename not in ('${kept.join("', '")}') loop
        execute format('delete from %I', name);
      end loop;
    end $$`);
}
