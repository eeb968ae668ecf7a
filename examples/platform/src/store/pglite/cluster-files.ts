import { existsSync, readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makePrivate } from "../make-private.ts";
import { StoreError } from "../store.ts";

/** The PostgreSQL major version that PGlite 0.5 contains. Other versions cannot read its files (D-107). */
const postgresVersion = "18";

/** PGlite's files in a locked data folder. */
export interface ClusterFiles {
  folder: string;
  /** Call it once PGlite has opened the files. */
  markOpened(): Promise<void>;
}

/**
 * Prepares PGlite's files. Removes them if they are incomplete because the process that created them was killed. PGlite can neither
 * open nor complete such files, and they do not contain data yet.
 *
 * @throws {StoreError} `data_folder_incompatible`
 */
export async function prepareClusterFiles(dataFolder: string): Promise<ClusterFiles> {
  const folder = join(dataFolder, "pglite");
  const incompleteMarker = join(dataFolder, "pglite.creating");
  if (existsSync(incompleteMarker)) await rm(folder, { recursive: true, force: true });
  const isNew = !existsSync(folder);
  if (isNew) {
    await writeFile(incompleteMarker, "", { mode: 0o600 });
    // PGlite would let every user write to the folder and the files in it.
    await mkdir(folder, { mode: 0o700 });
  } else {
    checkVersion(dataFolder, folder);
    makePrivate(folder);
  }
  return {
    folder,
    async markOpened() {
      if (isNew) await rm(incompleteMarker);
    },
  };
}

function checkVersion(dataFolder: string, folder: string): void {
  const file = join(folder, "PG_VERSION");
  const writtenVersion = existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
  if (writtenVersion === postgresVersion) return;
  const writer = writtenVersion === undefined ? "by another program" : `by PostgreSQL ${writtenVersion}`;
  throw new StoreError(
    "data_folder_incompatible",
    `the files in ${folder} were written ${writer}, but this version reads only files from PostgreSQL ${postgresVersion}; delete ` +
      `the data folder ${dataFolder} (--reset in the sandbox), choose a different folder, or use the version of the platform that wrote it`,
  );
}
