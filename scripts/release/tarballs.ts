import { createHash } from "node:crypto";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { runCommand } from "../processes/run-command.ts";

const requiredFiles = ["package.json", "README.md", "LICENSE", "CHANGELOG.md"];
const root = join(import.meta.dirname, "../..");

/**
 * Checks tarballs before they are published: the manifest, the files, publint and, for packages that programs import, attw.
 *
 * @throws an error that lists every problem
 */
export async function checkTarballs(folder: string, releases: readonly PackedRelease[]): Promise<void> {
  const errors: string[] = [];
  for (const release of releases)
    for (const error of await findTarballErrors(folder, release)) errors.push(`${release.id}: ${error}`);
  if (errors.length > 0) throw new Error(errors.join("\n"));
}

async function findTarballErrors(folder: string, { name, version, tarball }: PackedRelease): Promise<string[]> {
  const errors: string[] = [];
  const path = join(folder, tarball);
  const manifest = await runCommand("tar", ["-xzOf", path, "package/package.json"], { cwd: folder });
  const packed = JSON.parse(manifest) as { name: string; version: string; types?: string };
  if (packed.name !== name || packed.version !== version) errors.push(`is ${packed.name}@${packed.version}`);
  const files = (await runCommand("tar", ["-tzf", path], { cwd: folder })).trim().split("\n");
  for (const file of requiredFiles) if (!files.includes(`package/${file}`)) errors.push(`has no ${file}`);
  const [unresolvedVersion] = /"(?:workspace|catalog):[^"]*"/.exec(manifest) ?? [];
  // The tools below would fail for the same reason.
  if (unresolvedVersion !== undefined)
    return [...errors, `depends on ${unresolvedVersion}, which no registry understands`];
  const runCheck = (command: string, ...args: string[]) =>
    runCommand(join(root, "node_modules/.bin", command), [...args, path], { cwd: folder }).catch((error: Error) => {
      errors.push(error.message);
    });
  await runCheck("publint", "run", "--strict");
  // The profile leaves out node10, which does not support subpath exports.
  if (packed.types !== undefined) await runCheck("attw", "--profile", "node16");
  return errors;
}

/**
 * Writes a CycloneDX file for each of these packages in a workspace. Each file lists everything that is installed with its package.
 *
 * @returns the total number of listed components
 */
export async function writeBillsOfMaterials(
  workspace: string,
  names: readonly string[],
  destination: string,
): Promise<number> {
  await mkdir(destination, { recursive: true });
  const filters = names.flatMap((name) => ["--filter", name]);
  const out = join(resolve(destination), "%s-%v.json");
  const options = ["--split", "--prod", "--sbom-format", "cyclonedx", "--out", out];
  await runCommand("pnpm", [...filters, "sbom", ...options], { cwd: workspace });
  const files = await readdir(destination);
  if (files.length !== names.length) throw new Error(`${files.length} bills of materials for ${names.length} packages`);
  let componentCount = 0;
  for (const file of files) {
    const content = JSON.parse(await readFile(join(destination, file), "utf8")) as { components?: unknown[] };
    componentCount += content.components?.length ?? 0;
  }
  return componentCount;
}

/** A package that changesets has packed. */
export interface PackedRelease {
  /** `@offers/client@0.1.0` */
  id: string;
  name: string;
  version: string;
  /** The path of the tarball, relative to the folder. */
  tarball: string;
}

interface Plan {
  plan: { kind: string; name: string; version: string; tarball?: { path: string; integrity: string } }[][];
}

/**
 * Reads the publish plan in a folder that `changeset pack` has written.
 *
 * @throws if a tarball has changed since it was packed
 */
export async function readPublishPlan(folder: string): Promise<readonly PackedRelease[]> {
  const { plan } = JSON.parse(await readFile(join(folder, "publish-plan.json"), "utf8")) as Plan;
  const releases: PackedRelease[] = [];
  for (const { kind, name, version, tarball } of plan.flat()) {
    if (kind !== "publish" || tarball === undefined) continue;
    const id = `${name}@${version}`;
    const hash = createHash("sha256").update(await readFile(join(folder, tarball.path)));
    if (`sha256-${hash.digest("base64")}` !== tarball.integrity)
      throw new Error(`${id}: the tarball has changed since it was packed`);
    releases.push({ id, name, version, tarball: tarball.path });
  }
  return releases;
}
