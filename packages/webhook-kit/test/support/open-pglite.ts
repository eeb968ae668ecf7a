import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { PGlite } from "@electric-sql/pglite";

const cache = join(import.meta.dirname, "..", "..", ".cache");

/**
 * Opens an empty in-memory database from a file that is created only once. Its buffers are small because PostgreSQL clears all of them
 * when it starts, and tests need few rows.
 *
 * @param settings PostgreSQL settings, as in `postgresql.conf`
 */
export async function openPglite(settings: Readonly<Record<string, string>> = {}): Promise<PGlite> {
  // `openAsBlob` would fail if another process replaced the file in the meantime.
  const loadDataDir = new Blob([await readFile(await prepareEmptyDatabase())]);
  const settingFlags = Object.entries({ shared_buffers: "16MB", ...settings }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
  const pglite = new PGlite({ startParams: [...PGlite.defaultStartParams, ...settingFlags], loadDataDir });
  await pglite.waitReady;
  return pglite;
}

/** Returns the path of a file with an empty database, and creates the file if necessary. */
async function prepareEmptyDatabase(): Promise<string> {
  const manifest = join(dirname(createRequire(import.meta.url).resolve("@electric-sql/pglite")), "..", "package.json");
  const { version } = JSON.parse(await readFile(manifest, "utf8")) as { version: string };
  const file = join(cache, `pglite-${version}.tar`);
  if (existsSync(file)) return file;
  await using created = await PGlite.create();
  await mkdir(cache, { recursive: true });
  // Another process may be creating the same file, so the file gets its final name only when it is complete.
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, (await created.dumpDataDir("none")).stream());
  await rename(draft, file);
  return file;
}
