import { type StorePlace, storesUnderTest } from "../../examples/platform/test/support/stores/stores.ts";
import { findPrograms, startTemporaryPostgres } from "./temporary-postgres.ts";

export type StoreName = "pglite" | "postgres";

/** Where a run keeps its data: nothing was there before, and nothing is left. */
export interface DataLocation extends StorePlace {
  /** `PGlite`, `PostgreSQL 15.20` */
  title: string;
  /** Restarts the database as after a crash; only where it is the run's own. */
  restart?: () => Promise<void>;
}

/** This machine has no such store. */
export class NoStoreError extends Error {
  override readonly name = "NoStoreError";
}

/**
 * @param isOwn whether the database must be one that may be restarted
 * @throws {NoStoreError} with a message that says what to do
 */
export async function openDataLocation(store: StoreName, isOwn: boolean): Promise<DataLocation> {
  if (store === "postgres" && isOwn) return openOwnPostgres();
  const stores = await storesUnderTest().catch((cause: unknown) => {
    throw new NoStoreError("no PostgreSQL responds at DATABASE_URL", { cause });
  });
  const found = stores[store === "pglite" ? 0 : 1];
  if (!found) throw new NoStoreError("no PostgreSQL responds at 127.0.0.1:5432; start one, or set DATABASE_URL");
  return { title: found.title, ...(await found.createPlace()) };
}

async function openOwnPostgres(): Promise<DataLocation> {
  const programs = findPrograms();
  if (programs === undefined)
    throw new NoStoreError("--restarts needs a PostgreSQL of its own, and this machine has no initdb and pg_ctl");
  const cluster = await startTemporaryPostgres(programs);
  try {
    const [, postgres] = await storesUnderTest(cluster.databaseUrl);
    if (!postgres) throw new Error("the PostgreSQL that was started does not respond");
    const { options, remove } = await postgres.createPlace();
    const removeAll = () => remove().finally(cluster.remove);
    return { title: postgres.title, options, restart: cluster.restart, remove: removeAll };
  } catch (error) {
    await cluster.remove();
    throw error;
  }
}
