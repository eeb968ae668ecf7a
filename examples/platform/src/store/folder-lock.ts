import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makePrivate } from "./make-private.ts";
import { StoreError } from "./store.ts";

/** SQLITE_BUSY, see https://www.sqlite.org/rescode.html#busy */
const sqliteBusy = 5;

/** A folder lock, which allows only one process at a time to use a data folder. */
export interface FolderLock {
  release(): void;
}

/**
 * Locks the data folder for this process. PGlite itself does not lock its files, and a second process that uses them silently loses
 * data.
 *
 * Node has no file locks, but SQLite does: an exclusive transaction on an empty database acquires a lock from the operating system.
 * The lock ends with the process, even after kill -9, so it is never stale.
 *
 * @throws {StoreError} `data_folder_in_use`
 */
export function lockFolder(folder: string): FolderLock {
  const file = join(folder, "lock");
  // Create the file first, because SQLite would let other users read, and therefore lock, it. SQLite copies its permissions to the journal.
  closeSync(openSync(file, "a", 0o600));
  makePrivate(file);
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    database.close();
    if ((cause as { errcode?: number }).errcode !== sqliteBusy) throw cause;
    throw new StoreError(
      "data_folder_in_use",
      `the data folder ${folder} is in use by another process; stop that process, set a different data folder, ` +
        "or set DATABASE_URL, because only PostgreSQL supports several processes",
      { cause },
    );
  }
  return { release: () => database.close() };
}
