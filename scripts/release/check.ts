// Checks packed packages before they are published, and writes their bills of materials. Does not build anything.
//   node scripts/bootstrap.mjs node scripts/release/check.ts packed sbom
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { compileSnippets, installPackages } from "./installed/check-installed.ts";
import { checkTarballs, readPublishPlan, writeBillsOfMaterials } from "./tarballs.ts";

const [packed = "packed", billsOfMaterials = "sbom"] = process.argv.slice(2);
const root = join(import.meta.dirname, "../..");
const folder = resolve(packed);
const releases = await readPublishPlan(folder);
if (releases.length === 0) throw new Error(`${packed}: the plan does not contain any package to publish`);
await checkTarballs(folder, releases);
const names = releases.map(({ name }) => name);
console.log(`${await writeBillsOfMaterials(root, names, billsOfMaterials)} components in ${billsOfMaterials}/`);

const scratch = await mkdtemp(join(tmpdir(), "offers-release-"));
try {
  await installPackages(
    scratch,
    releases.map(({ tarball }) => join(folder, tarball)),
  );
  console.log(`${await compileSnippets(scratch)} README snippets compile`);
} finally {
  await rm(scratch, { recursive: true });
}
console.log(`ready to publish: ${releases.map(({ id }) => id).join(", ")}`);
