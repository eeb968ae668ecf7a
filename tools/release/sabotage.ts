import { hash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "../processes/run-command.ts";
import type { Clone } from "./clone.ts";
import type { PackedRelease } from "./tarballs.ts";

/** What may go wrong in a release, each with the step that has to notice it. */
export const sabotages = {
  workspace: "the tarballs are complete",
  published: "publish, killed after the first package",
  "flipped-byte": "publish, killed after the first package",
  snippet: "the READMEs of the tarballs compile",
} as const;
export type Sabotage = keyof typeof sabotages;

/** Misspells a class in the first snippet of the client's README. */
export async function breakSnippet({ folder, git }: Clone): Promise<void> {
  const readme = join(folder, "packages/client/README.md");
  const text = await readFile(readme, "utf8");
  const broken = text.replace("new OffersClient(", "new OfferClient(");
  if (broken === text) throw new Error("the client's README has no snippet to break");
  await writeFile(readme, broken);
  await git("commit", "--quiet", "--all", "--message", "Break a snippet");
}

/** Packs a package again with `workspace:*` in its dependencies, as a tool other than pnpm leaves it there. */
export async function leaveWorkspaceVersion(folder: string, release: PackedRelease): Promise<void> {
  await repack(folder, release, join(folder, release.tarball), (manifest) => ({
    ...manifest,
    dependencies: { ...(manifest.dependencies as object), "@offers/webhook-kit": "workspace:*" },
  }));
  const plan = join(folder, "publish-plan.json");
  const content = JSON.parse(await readFile(plan, "utf8"));
  for (const planned of content.plan.flat())
    if (planned.name === release.name)
      planned.tarball.integrity = `sha256-${hash("sha256", await readFile(join(folder, release.tarball)), "base64")}`;
  await writeFile(plan, JSON.stringify(content));
}

/** Publishes the version of a package with other content. */
export async function publishBefore(
  folder: string,
  release: PackedRelease,
  env: Record<string, string | undefined>,
): Promise<void> {
  const before = join(folder, "..", "before.tgz");
  await repack(folder, release, before, (manifest) => ({ ...manifest, description: "Published before." }));
  await runCommand("npm", ["publish", before, "--access", "public", "--provenance=false"], { cwd: folder, env });
}

/** Flips the lowest bit of the byte in the middle of a tarball. */
export async function flipByte(folder: string, { tarball }: PackedRelease): Promise<void> {
  const bytes = await readFile(join(folder, tarball));
  const middle = bytes.length >> 1;
  bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle);
  await writeFile(join(folder, tarball), bytes);
}

async function repack(
  folder: string,
  { tarball }: PackedRelease,
  destination: string,
  change: (manifest: Record<string, unknown>) => object,
): Promise<void> {
  const unpacked = await mkdtemp(join(folder, "..", "repack-"));
  await runCommand("tar", ["-xzf", join(folder, tarball), "-C", unpacked], { cwd: folder });
  const path = join(unpacked, "package/package.json");
  await writeFile(path, JSON.stringify(change(JSON.parse(await readFile(path, "utf8")))));
  await runCommand("tar", ["-czf", destination, "-C", unpacked, "package"], { cwd: folder });
  await rm(unpacked, { recursive: true });
}
