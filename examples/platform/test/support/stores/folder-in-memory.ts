import { mkdtemp, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const memory = "/dev/shm";
const enoughBytes = 2 * 1024 ** 3;

/** Creates a new folder, in /dev/shm if it has room, because no test needs its files after a crash. */
export async function folderInMemory(prefix: string): Promise<string> {
  const freeBytes = await statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return mkdtemp(join(freeBytes < enoughBytes ? tmpdir() : memory, prefix));
}
