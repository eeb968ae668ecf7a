import type { Store } from "../../src/store/store.ts";

/** Tables that are not emptied, because they are only filled when a store is opened. */
const excludedTables = ["kysely_migration", "kysely_migration_lock", "encryption_key_check", "outbox_processes"];

/** Deletes a test's data. Avoids `truncate`, which is slow on PostgreSQL because it creates new files for each table and index. */
export async function emptyTables(store: Store): Promise<void> {
  await store.execute(`do $$
    declare name text;
    begin
      -- Disables foreign keys, so that the tables can be emptied in any order.
      perform set_config('session_replication_role', 'replica', true);
      for name in select tablename from pg_tables where schemaname = 'public' and tablename not in ('${excludedTables.join("', '")}') loop
        execute format('delete from %I', name);
      end loop;
    end $$`);
}
