import { chmodSync, statSync } from "node:fs";

/** The error codes of a file system without permissions or without writes, and of a file that belongs to another user. */
const unchangeableCodes = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EROFS"]);

/**
 * Makes a file or folder accessible only to its owner, even if an earlier version or a copy left it accessible (D-160). Does not change
 * the files in a folder, because other users can no longer reach them. Does nothing if the permissions cannot be changed.
 */
export function makePrivate(path: string): void {
  try {
    chmodSync(path, statSync(path).isDirectory() ? 0o700 : 0o600);
  } catch (error) {
    if (!unchangeableCodes.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
