import { existsSync, readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
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
 * Prepares PGlite's files. If the process that created them was killed, they are incomplete: PGlite can neither open nor complete
 * them, and they do not contain data yet. They are then removed.
 *
 * @throws {StoreError} `data_folder_incompatible`
 */
export async function prepareClusterFiles(dataFolder: string): Promise<ClusterFiles> {
  const folder = join(dataFolder, "pglite");
  const creating = join(dataFolder, "pglite.creating");
  if (existsSync(creating)) await rm(folder, { recursive: true, force: true });
  const isNew = !existsSync(folder);
  if (isNew) await writeFile(creating, "");
  else checkVersion(dataFolder, folder);
  return {
    folder,
    async markOpened() {
      if (isNew) await rm(creating);
    },
  };
}

function checkVersion(dataFolder: string, folder: string): void {
  const file = join(folder, "PG_VERSION");
  const written = existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
  if (written === postgresVersion) return;
  const writer = written === undefined ? "by another program" : `by PostgreSQL ${written}`;
  throw new StoreError(
    "data_folder_incompatible",
    `the files in ${folder} were written ${writer}, but this version reads only files from PostgreSQL ${postgresVersion}; delete ` +
      `the data folder ${dataFolder} (--reset in the sandbox), choose another one, or use the version of the platform that wrote it`,
  );
}
