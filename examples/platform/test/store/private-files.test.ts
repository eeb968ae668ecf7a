import { chmod, mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openPlatform } from "../support/platform-under-test.ts";

/** Lists what other users of the computer can open in a folder, with the permissions. */
async function listOpen(folder: string): Promise<string[]> {
  const open: string[] = [];
  for (const entry of await readdir(folder)) {
    const path = join(folder, entry);
    const { mode } = await stat(path);
    if ((mode & 0o077) !== 0) open.push(`${entry} ${(mode & 0o777).toString(8)}`);
  }
  return open;
}

test.skipIf(process.platform === "win32")(
  "other users cannot open what the platform writes to an existing data folder, nor what it wrote earlier [D-160]",
  async () => {
    const parent = await mkdtemp(join(tmpdir(), "offers-private-"));
    onTestFinished(() => rm(parent, { recursive: true, force: true }));
    const dataFolder = join(parent, "data");
    await mkdir(dataFolder, { mode: 0o755 });
    await chmod(dataFolder, 0o755);
    const database = { options: { dataFolder }, remove: async () => undefined };
    const created = await openPlatform(database);
    expect(await listOpen(dataFolder)).toEqual([]);
    await created.close();
    const entries = (await readdir(dataFolder)).toSorted();
    expect(entries).toEqual(["encryption.key", "lock", "pglite"]);
    for (const entry of entries) await chmod(join(dataFolder, entry), 0o777);
    const opened = await openPlatform(database);
    expect(await listOpen(dataFolder)).toEqual([]);
    await opened.close();
  },
);
