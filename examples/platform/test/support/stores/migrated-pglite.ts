import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { appendFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { createTables } from "../make-tables.ts";
import { getCachedFolder } from "./cached-folder.ts";

const sourceFolder = join(import.meta.dirname, "..", "..", "..", "src");

/**
 * Returns the path of a PGlite folder with the current schema. Tests copy the folder, because creating one is slow. It sets smaller buffers
 * than PostgreSQL's default of 128 MB, because PGlite clears all buffers when it opens.
 */
export const getMigratedPglite = (): Promise<string> =>
  getCachedFolder(
    "@electric-sql/pglite",
    async (temporaryFolder) => {
      await createTables({ dataFolder: join(temporaryFolder, "store") });
      await rename(join(temporaryFolder, "store", "pglite"), join(temporaryFolder, "pglite"));
      await appendFile(join(temporaryFolder, "pglite", "postgresql.conf"), "shared_buffers = 16MB\n");
    },
    `-${hashSources()}`,
  ).then((folder) => join(folder, "pglite"));

/** Hashes the files that determine the content of the folder, so that a new migration leads to a new folder. */
function hashSources(): string {
  const files = globSync(["store/migrate.ts", "store/migrations/*.ts"], { cwd: sourceFolder }).sort();
  const manifest = join(sourceFolder, "..", "package.json");
  const workspace = join(sourceFolder, "..", "..", "..", "pnpm-workspace.yaml");
  const hash = createHash("sha256");
  for (const file of [...files.map((name) => join(sourceFolder, name)), manifest, workspace])
    hash.update(readFileSync(file));
  return hash.digest("hex").slice(0, 16);
}
