import { readSeedFile } from "./seed/seed-file.ts";
import type { Seed } from "./seed/seed-schema.ts";
import { checkDatabase } from "./settings/check-database.ts";
import { makeDataFolder } from "./settings/make-data-folder.ts";
import { checkAddress } from "./settings/serve.ts";
import type { Settings } from "./settings/settings.ts";

/**
 * Checks what the settings name, before anything is opened (D-90).
 *
 * @returns the seed file's content
 * @throws {SettingError}
 */
export async function preflight(settings: Settings): Promise<Seed | undefined> {
  const { seedFile, metrics, databaseUrl, encryptionKey, dataFolder } = settings;
  const seed = seedFile === undefined ? undefined : await readSeedFile(seedFile);
  await checkAddress("platform", settings);
  if (metrics !== undefined) await checkAddress("metrics", metrics);
  if (databaseUrl !== undefined) await checkDatabase(databaseUrl);
  if (databaseUrl === undefined || encryptionKey === undefined) await makeDataFolder(dataFolder);
  return seed;
}
