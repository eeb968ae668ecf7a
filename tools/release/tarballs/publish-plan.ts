import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** A package that changesets has packed. */
export interface PackedRelease {
  /** `@offers/client@0.1.0` */
  id: string;
  name: string;
  version: string;
  /** Relative to the folder. */
  tarball: string;
}

interface Plan {
  plan: { kind: string; name: string; version: string; tarball?: { path: string; integrity: string } }[][];
}

/**
 * Reads a folder that `changeset pack` has written.
 *
 * @throws when a tarball is not the one that was packed
 */
export async function readPublishPlan(folder: string): Promise<readonly PackedRelease[]> {
  const { plan } = JSON.parse(await readFile(join(folder, "publish-plan.json"), "utf8")) as Plan;
  const releases: PackedRelease[] = [];
  for (const { kind, name, version, tarball } of plan.flat()) {
    if (kind !== "publish" || tarball === undefined) continue;
    const id = `${name}@${version}`;
    const hash = createHash("sha256").update(await readFile(join(folder, tarball.path)));
    if (`sha256-${hash.digest("base64")}` !== tarball.integrity) throw new Error(`${id}: not the packed bytes`);
    releases.push({ id, name, version, tarball: tarball.path });
  }
  return releases;
}
