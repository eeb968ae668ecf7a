import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { SettingError } from "./setting-error.ts";

/**
 * Makes the data folder, for its owner alone, when it is not there yet, and tries to write in it.
 *
 * @throws {SettingError} when something else is there, or this process may not write there
 */
export async function makeDataFolder(path: string): Promise<void> {
  const folder = resolve(path);
  try {
    await makeFolder(folder);
    // Permissions say less: a read-only file system, or /proc, refuses its owner as well.
    const probe = join(folder, `.writable.${process.pid}`);
    await writeFile(probe, "", { mode: 0o600 });
    await rm(probe);
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    const reason = `${reasons[code] ?? "it cannot be made, or not be written in"} (${code})`;
    throw new SettingError(
      `OFFERS_DATA: ${folder} cannot be the data folder: ${reason}; set OFFERS_DATA to a folder to write in`,
      { cause },
    );
  }
}

const reasons: Record<string, string> = {
  EACCES: "this user may not write there",
  EEXIST: "there is a file of that name",
  ENOENT: "nothing can be made there",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of its path is a file",
  EPERM: "this user may not write there",
  EROFS: "the file system there is read-only",
};

/** Not by mkdir's `recursive`: in /proc, where nothing can be made, Node tries for ever. */
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
