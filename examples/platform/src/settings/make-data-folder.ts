import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { SettingError } from "./setting-error.ts";

/**
 * Creates the data folder if it is missing, accessible only to its owner, and checks that files can be created in it.
 *
 * @throws {SettingError} if it cannot be created or written to
 */
export async function makeDataFolder(path: string): Promise<void> {
  const folder = resolve(path);
  try {
    await makeFolder(folder);
    // Checking permissions is not enough, because a read-only file system and /proc reject writes even from the owner.
    const probe = join(folder, `.writable.${process.pid}`);
    await writeFile(probe, "", { mode: 0o600 });
    await rm(probe);
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    const reason = `${reasons[code] ?? "it cannot be created or written to"} (${code})`;
    throw new SettingError(
      `OFFERS_DATA: ${folder} cannot be used as the data folder: ${reason}; set OFFERS_DATA to a writable folder`,
      { cause },
    );
  }
}

const reasons: Record<string, string> = {
  EACCES: "this user has no permission to write there",
  EEXIST: "a file with that name exists",
  ENOENT: "nothing can be created there",
  ENOSPC: "the disk is full",
  ENOTDIR: "part of its path is a file",
  EPERM: "this user has no permission to write there",
  EROFS: "its file system is read-only",
};

/**
 * Creates a folder and its missing parents. Does not use `mkdir` with the option `recursive`, because in Node 24 it never returns for
 * a path in /proc, where folders cannot be created.
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
    (stats) => stats.isDirectory(),
    () => false,
  );
