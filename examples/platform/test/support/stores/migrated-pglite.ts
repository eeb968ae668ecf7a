import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { appendFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { createTables } from "../make-tables.ts";
import { getCachedFolder } from "./cached-folder.ts";

const source = join(import.meta.dirname, "..", "..", "..", "src");

/**
 * Returns a PGlite folder with the current schema. Tests copy it, because creating a folder is slow. Its buffers are smaller than
 * PostgreSQL's default of 128 MB, because PGlite clears all buffers when it opens.
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

/** Hashes everything that determines the schema, so that a new migration leads to a new folder. */
function hashSources(): string {
  const files = globSync(["store/migrate.ts", "store/migrations/*.ts"], { cwd: source }).sort();
  const manifest = join(source, "..", "package.json");
  const lock = join(source, "..", "..", "..", "pnpm-workspace.yaml");
  const hash = createHash("sha256");
  for (const file of [...files.map((name) => join(source, name)), manifest, lock]) hash.update(readFileSync(file));
  return hash.digest("hex").slice(0, 16);
}
