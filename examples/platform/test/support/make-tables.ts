import { openStore, type StoreOptions } from "../../src/store/open-store.ts";

/** Creates the current schema in an empty database. */
export async function createTables(options: StoreOptions): Promise<void> {
  const store = await openStore(options);
  await store.close();
}
