import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const demoFile = join(import.meta.dirname, "..", "..", "seed", "demo.json");
const folder = join(import.meta.dirname, "..", "..", ".cache");

/**
 * The hash of the demo password at the lowest cost. The default cost would slow down each start and sign-in. The hash was computed with:
 * python3 -c 'import hashlib,base64; print(base64.urlsafe_b64encode(hashlib.scrypt(b"demo-password",
 *   salt=b"0123456789abcdef", n=2, r=1, p=1, dklen=32)).decode().rstrip("="))'
 */
const passwordHash = "scrypt$2$1$1$MDEyMzQ1Njc4OWFiY2RlZg$6pWBhsd6g_qcmFKRz87Oj_855N3jJpYdf8ywpedkgC4";

/** The path of a seed file like `demo.json`, but with password hashes that are cheap to check. */
export const testSeed = join(folder, "test-seed.json");

/** Vitest's global setup: writes the seed file before any test reads it. */
export async function setup(): Promise<void> {
  const seed = JSON.parse(await readFile(demoFile, "utf8")) as Record<"people" | "workers", { password: string }[]>;
  const replacePassword = ({ password, ...account }: { password: string }) => ({ ...account, passwordHash });
  await mkdir(folder, { recursive: true });
  await writeFile(
    testSeed,
    JSON.stringify({
      ...seed,
      people: seed.people.map(replacePassword),
      workers: seed.workers.map(replacePassword),
    }),
  );
}
