import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { SettingError } from "./setting-error.ts";

/**
 * Creates the data folder, for its owner only, unless it exists, and tries to write to it.
 *
 * @throws {SettingError} when it cannot be created or written to
 */
export async function makeDataFolder(path: string): Promise<void> {
  const folder = resolve(path);
  try {
    await makeFolder(folder);
    // Checking permissions is not enough: a read-only file system and /proc reject even the owner.
    const probe = join(folder, `.writable.${process.pid}`);
    await writeFile(probe, "", { mode: 0o600 });
    await rm(probe);
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    const reason = `${reasons[code] ?? "it cannot be created or written in"} (${code})`;
    throw new SettingError(
      `OFFERS_DATA: ${folder} cannot be the data folder: ${reason}; set OFFERS_DATA to a folder to write in`,
      { cause },
    );
  }
}

const reasons: Record<string, string> = {
  EACCES: "this user may not write there",
  EEXIST: "there is a file of that name",
  ENOENT: "nothing can be created there",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of its path is a file",
  EPERM: "this user may not write there",
  EROFS: "the file system there is read-only",
};

/**
 * Creates a folder and its missing parents. Node's own `mkdir` with `recursive` is not used: in Node 24 it never returns for a
 * path below /proc, where nothing can be created.
 */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && (await isFolder(path))) return;
    const parent = dirname(path);
    if (code !== "ENOENT" || (await isFolder(parent))) throw error;
    await makeFolder(parent);
    await mkdir(path, { mode: 0o700 });
  }
}

const isFolder = async (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
