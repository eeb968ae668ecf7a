import { rm } from "node:fs/promises";
import { join } from "node:path";
import { makeDataFolder } from "../settings/make-data-folder.ts";
import { lockFolder } from "../store/folder-lock.ts";

/**
 * Deletes what the platform stores in a folder, and nothing else that is there.
 *
 * @throws {StoreError} `data_folder_in_use`
 */
export async function resetData(dataFolder: string): Promise<void> {
  await makeDataFolder(dataFolder);
  const lock = lockFolder(dataFolder);
  try {
    for (const name of ["pglite", "pglite.creating", "encryption.key"])
      await rm(join(dataFolder, name), { recursive: true, force: true });
  } finally {
    lock.release();
  }
}
