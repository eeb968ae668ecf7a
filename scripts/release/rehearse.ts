// Rehearses a release of the latest commit, from a bare clone, with a registry on loopback:
//   npm run check -- release
// Exits with 1 if a step fails.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "../processes/run-command.ts";
import { cloneRepository } from "./clone.ts";
import { compileSnippets, installPackages } from "./installed/check-installed.ts";
import { runReadmePrograms } from "./installed/run-readme-programs.ts";
import { readPublishedPackages } from "./packages/packages.ts";
import { moduleSystems } from "./packages/readme-program.ts";
import { computeHashes, runPublishStep } from "./publish-step.ts";
import { startRegistry } from "./registry.ts";
import { checkTarballs, readPublishPlan, writeBillsOfMaterials } from "./tarballs.ts";

// With `npm run --silent`, every npm command that this process starts would be silent too, and would not print why it failed.
delete process.env.npm_config_loglevel;
const steps: { step: string; seconds: number; result: string }[] = [];
const scratch = await mkdtemp(join(tmpdir(), "offers-rehearsal-"));
const registry = await startRegistry(join(scratch, "registry"));
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void registry.stop().finally(() => process.exit(130)));

try {
  await rehearse();
  console.table(steps);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await registry.stop();
  await rm(scratch, { recursive: true, maxRetries: 5, retryDelay: 200 });
}

/** Runs a step and records its duration. @param run returns the result in a few words; rejects if the step fails */
async function runStep(step: string, run: () => Promise<string>): Promise<void> {
  const startedAt = performance.now();
  const result = await run().catch((error: Error) => {
    throw new Error(`${error.message}\n✗ ${step}`, { cause: error });
  });
  steps.push({ step, seconds: Math.round((performance.now() - startedAt) / 1_000), result });
  console.log(`✓ ${step}: ${result}`);
}

async function rehearse(): Promise<void> {
  const clone = await cloneRepository(scratch);
  const packed = join(scratch, "packed");
  const runChangeset = (...args: string[]) => clone.runAs(registry.env, "changeset", ...args);

  await runStep("a bare clone builds", async () => {
    await clone.build();
    return (await clone.git("log", "-1", "--format=%h %s")).trim();
  });
  await runStep("version: the changesets become versions and changelogs", async () => {
    const changesets = await clone.git("ls-files", ".changeset/*.md");
    await runChangeset("version");
    await clone.git("add", "--all");
    await clone.git("commit", "--quiet", "--allow-empty", "--message", "Version packages");
    // .changeset/README.md is not a changeset.
    return `${changesets.trim().split("\n").length - 1} changesets`;
  });
  await runStep("select: the plan contains every package", async () => {
    await runChangeset("publish-plan", "--output", join(scratch, "plan.json"));
    return "plan.json";
  });
  await runStep("pack: pnpm packs every package in the plan", async () => {
    await runChangeset("pack", "--from-publish-plan", join(scratch, "plan.json"), "--out-dir", packed);
    return (await readPublishPlan(packed)).map(({ id }) => id).join(", ");
  });

  const releases = await readPublishPlan(packed);
  if (releases.length === 0) throw new Error("the plan does not contain any package to publish: add a changeset");
  const ids = releases.map(({ id }) => id);
  await runStep("the tarballs are complete", async () => {
    await checkTarballs(packed, releases);
    return "manifest, files, publint, attw";
  });
  await runStep("the bills of materials list their dependencies", async () => {
    const names = releases.map(({ name }) => name);
    return `${await writeBillsOfMaterials(clone.folder, names, join(scratch, "sbom"))} components`;
  });
  await runStep("the snippets in the tarballs' READMEs compile", async () => {
    const project = join(scratch, "tarballs");
    const tarballs = releases.map(({ tarball }) => join(packed, tarball));
    await installPackages(project, tarballs);
    return `${await compileSnippets(project)} snippets`;
  });

  const hashes = await computeHashes(packed, releases);
  await runStep("publish", async () => {
    const { code, cause, published } = await runPublishStep(packed, hashes, registry.env);
    if (code !== 0) throw new Error(cause);
    assertIds(published, ids);
    assertIds(await selectServedIds(ids), ids);
    return `${ids.length} published`;
  });
  await runStep("publish again: nothing happens", async () => {
    const { code, output, cause } = await runPublishStep(packed, hashes, registry.env);
    if (code !== 0) throw new Error(cause);
    const skippedLines = output.split("\n").filter((line) => line.endsWith("has been published before."));
    if (skippedLines.length !== ids.length || /^\+ /m.test(output)) throw new Error(`published again:\n${output}`);
    await runChangeset("publish-plan", "--output", join(scratch, "plan-again.json"));
    return `${skippedLines.length} were published before`;
  });
  await runStep("tag: each version has its tag in the bare clone", async () => {
    const output = await runChangeset("git-tag");
    await clone.git("push", "--quiet", "--tags", "origin");
    const tags = (await runCommand("git", ["tag", "--list"], { cwd: clone.origin })).split("\n");
    const releaseTags = tags.filter((tag) => ids.includes(tag));
    assertIds(releaseTags, ids, output);
    return ids.join(", ");
  });

  await runStep("snapshot: unreleased changes are published in addition to the latest version", async () => {
    const bumps = releases.map(({ name }) => `"${name}": patch\n`).join("");
    await writeFile(join(clone.folder, ".changeset/rehearsal.md"), `---\n${bumps}---\n\nA change.\n`);
    await runChangeset("version", "--snapshot", "snapshot");
    const folder = join(scratch, "snapshot");
    await runChangeset("pack", "--out-dir", folder);
    const snapshots = await readPublishPlan(folder);
    const { code, cause } = await runPublishStep(
      folder,
      await computeHashes(folder, snapshots),
      registry.env,
      "snapshot",
    );
    if (code !== 0) throw new Error(cause);
    for (const [index, { name, version }] of snapshots.entries()) {
      const { "dist-tags": tags } = await fetchRegistryEntry(name);
      if (
        tags.latest !== releases[index]?.version ||
        tags.snapshot !== version ||
        !version.startsWith("0.0.0-snapshot")
      )
        throw new Error(`${name} has the tags ${JSON.stringify(tags)}`);
    }
    return snapshots.map(({ id }) => id).join(", ");
  });
  await runStep("a fresh project installs what was published, and runs README.md", async () => {
    const project = join(scratch, "project");
    await installPackages(project, ids, registry.env);
    for (const system of moduleSystems) await runReadmePrograms(project, system);
    // Do not use npx, because it would handle --help itself.
    for (const { name, bin } of readPublishedPackages(clone.folder))
      for (const file of Object.values(bin))
        await runCommand(process.execPath, [join("node_modules", name, file), "--help"], { cwd: project });
    return "as an ES module and in CommonJS";
  });
}

/** Selects the ids (`name@version`) that the registry serves. */
async function selectServedIds(ids: readonly string[]): Promise<readonly string[]> {
  const matches = ids.map(async (id) => {
    const { versions } = await fetchRegistryEntry(id.slice(0, id.lastIndexOf("@")));
    return (id.split("@").at(-1) ?? "") in versions ? [id] : [];
  });
  return (await Promise.all(matches)).flat();
}

interface RegistryEntry {
  "dist-tags": Readonly<Record<string, string>>;
  versions: Readonly<Record<string, unknown>>;
}

/** Fetches a package's metadata from the registry. */
async function fetchRegistryEntry(name: string): Promise<RegistryEntry> {
  const response = await fetch(`${registry.address}/${name.replace("/", "%2f")}`);
  return { "dist-tags": {}, versions: {}, ...((await response.json()) as Partial<RegistryEntry>) };
}

/** Asserts that the lists contain the same ids, in any order. @param output is appended to the error message */
function assertIds(actual: readonly string[], expected: readonly string[], output = ""): void {
  if ([...actual].sort().join() !== [...expected].sort().join())
    throw new Error(`found ${actual.join(", ") || "nothing"} instead of ${expected.join(", ")}\n${output}`);
}
