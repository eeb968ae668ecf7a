import { constants } from "node:fs";
import { access, mkdir } from "node:fs/promises";
import { SettingError } from "./setting-error.ts";

/**
 * Makes the data folder, for its owner alone, when it is not there yet.
 *
 * @throws {SettingError} when something else is there, or this process may not write there
 */
export async function makeDataFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await access(path, constants.W_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new SettingError(`OFFERS_DATA: ${path} cannot be the data folder (${code}); name a folder to write in`, {
      cause,
    });
  }
}
