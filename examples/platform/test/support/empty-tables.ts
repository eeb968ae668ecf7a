import type { Store } from "../../src/store/store.ts";

/** Tables that are not emptied. They are filled only when a store or its leases are opened. */
const excludedTables = ["kysely_migration", "kysely_migration_lock", "encryption_key_check", "outbox_processes"];

/** Deletes all rows that a test has written. Avoids `truncate`, which is slow on PostgreSQL because it creates new files for each table and index. */
export async function emptyTables(store: Store): Promise<void> {
  await store.execute(`do $$
    declare name text;
    begin
      -- Disable foreign keys so that the tables can be emptied in any order.
      perform set_config('session_replication_role', 'replica', true);
      for name in select tablename from pg_tables where schemaname = 'public' and tablename not in ('${excludedTables.join("', '")}') loop
        execute format('delete from %I', name);
      end loop;
    end $$`);
}
