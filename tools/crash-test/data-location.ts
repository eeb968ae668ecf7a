import { storesUnderTest, type TestDatabase } from "../../examples/platform/test/support/stores/stores.ts";
import { findPrograms, startTemporaryPostgres } from "./temporary-postgres.ts";

export type StoreName = "pglite" | "postgres";

/** Where a run keeps its data: nothing was there before, and nothing is left. */
export interface DataLocation {
  /** `PGlite`, `PostgreSQL 15.20` */
  title: string;
  options: TestDatabase["options"];
  /** Restarts the database as after a crash; only where it is the run's own. */
  restart?: () => Promise<void>;
  remove(): Promise<void>;
}

/** This machine has no such store. */
export class NoStoreError extends Error {
  override readonly name = "NoStoreError";
}

/**
 * @param isOwn whether the database must be one that may be restarted
 * @throws {NoStoreError} in words that say what to do
 */
export async function openDataLocation(store: StoreName, isOwn: boolean): Promise<DataLocation> {
  if (store === "pglite") return locationIn((await storesUnderTest())[0]);
  if (!isOwn) {
    const [, postgres] = await storesUnderTest().catch((cause: unknown) => {
      throw new NoStoreError("no PostgreSQL responds at DATABASE_URL", { cause });
    });
    if (postgres === undefined)
      throw new NoStoreError("no PostgreSQL responds at 127.0.0.1:5432; start one, or set DATABASE_URL");
    return locationIn(postgres);
  }
  const programs = await findPrograms();
  if (programs === undefined)
    throw new NoStoreError("--restarts needs a PostgreSQL of its own, and this machine has no initdb and pg_ctl");
  const cluster = await startTemporaryPostgres(programs);
  try {
    const [, postgres] = await storesUnderTest(cluster.databaseUrl);
    // The database goes with its cluster.
    const { title, options, remove } = await locationIn(postgres);
    const removeAll = async (): Promise<void> => {
      await remove().finally(cluster.remove);
    };
    return { title, options, restart: cluster.restart, remove: removeAll };
  } catch (error) {
    await cluster.remove();
    throw error;
  }
}

type StoreUnderTest = Awaited<ReturnType<typeof storesUnderTest>>[number];

async function locationIn(store: StoreUnderTest | undefined): Promise<DataLocation> {
  if (store === undefined) throw new NoStoreError("this machine has no such store");
  const { options, remove } = await store.createDatabase();
  return { title: store.title, options, remove };
}
