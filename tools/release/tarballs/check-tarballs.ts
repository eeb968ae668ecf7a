import { join } from "node:path";
import { runCommand } from "../../processes/run-command.ts";
import type { PackedRelease } from "./publish-plan.ts";

const wanted = ["package.json", "README.md", "LICENSE", "CHANGELOG.md"];
const root = join(import.meta.dirname, "../../..");

/**
 * Checks tarballs as they would be published: the manifest, the files, publint and, for those that are imported, attw.
 *
 * @throws with every fault
 */
export async function checkTarballs(folder: string, releases: readonly PackedRelease[]): Promise<void> {
  const faults: string[] = [];
  for (const { id, name, version, tarball } of releases) {
    const path = join(folder, tarball);
    const files = (await runCommand("tar", ["-tzf", path], { cwd: folder })).trim().split("\n");
    const manifest = await runCommand("tar", ["-xzOf", path, "package/package.json"], { cwd: folder });
    const [unresolved] = /"(?:workspace|catalog):[^"]*"/.exec(manifest) ?? [];
    if (unresolved !== undefined) faults.push(`${id}: asks for ${unresolved}, which no registry understands`);
    const found = JSON.parse(manifest) as { name: string; version: string; types?: string };
    if (found.name !== name || found.version !== version) faults.push(`${id}: is ${found.name}@${found.version}`);
    for (const file of wanted) if (!files.includes(`package/${file}`)) faults.push(`${id}: has no ${file}`);
    if (unresolved !== undefined) continue;
    const run = (command: string, ...args: string[]) =>
      runCommand(join(root, "node_modules/.bin", command), [...args, path], { cwd: folder }).catch((error: Error) => {
        faults.push(`${id}: ${error.message}`);
      });
    await run("publint", "run", "--strict");
    // Without node10, which knows no subpath exports.
    if (found.types !== undefined) await run("attw", "--profile", "node16");
  }
  if (faults.length > 0) throw new Error(faults.join("\n"));
}
