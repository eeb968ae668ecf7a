import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";

/** A program of a Debian package. */
export interface DebianProgram {
  path: string;
  /** The package with its version: `nginx 1.22.1-9+deb12u11`. */
  title: string;
}

/**
 * Debian keeps servers in /usr/sbin, off the path of most users.
 *
 * @throws with the command that installs it
 */
export async function findDebianProgram(packageName: string, name = packageName): Promise<DebianProgram> {
  const path = ["/usr/sbin", "/usr/bin"].map((folder) => `${folder}/${name}`).find((file) => existsSync(file));
  if (path === undefined) throw new Error(`This needs ${name}: apt-get install ${packageName}`);
  const { stdout } = await promisify(execFile)("dpkg-query", ["--status", packageName]);
  return { path, title: `${packageName} ${/^Version: (.*)$/m.exec(stdout)?.[1]}` };
}
