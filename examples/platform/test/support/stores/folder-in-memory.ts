import { mkdtemp, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const memoryFolder = "/dev/shm";
const requiredBytes = 2 * 1024 ** 3;

/** Creates a temporary folder, in memory (/dev/shm) if 2 GiB are free there. */
export async function createTemporaryFolder(prefix: string): Promise<string> {
  const freeBytes = await statfs(memoryFolder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return mkdtemp(join(freeBytes < requiredBytes ? tmpdir() : memoryFolder, prefix));
}
