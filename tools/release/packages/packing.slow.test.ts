// Only pnpm writes the workspace's versions into package.json, and the licence beside it.
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { folderOf, pack, publishedNames } from "./packages.ts";

const run = promisify(execFile);

interface PackageManifest {
  scripts?: Record<string, string>;
}

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "offers-packing-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** What a package may weigh once it is unpacked, maps and sources included: raising it is a decision. */
const unpackedCeilings: Readonly<Record<string, number>> = { client: 2_000_000, "webhook-kit": 2_000_000 };

const isFull = process.env.TEST_MATRIX === "full";
/** Each package in the full matrix: its script is all that differs. */
const oneOrAll = isFull ? publishedNames : ["client"];

test("every package demands pnpm before it is packed", async () => {
  for (const name of publishedNames) {
    const manifest = JSON.parse(await readFile(join(folderOf(name), "package.json"), "utf8")) as PackageManifest;
    expect(manifest.scripts?.prepack).toMatch(/^node \.\.\/\.\.\/tools\/release\/demand-pnpm\.mjs(?: && |$)/);
  }
});

const byNpm = [
  { command: ["pack", "--pack-destination"], started: "by a person", agent: undefined },
  { command: ["pack", "--pack-destination"], started: "by pnpm", agent: "pnpm/12.21.0 npm/? node/?" },
  { command: ["publish", "--dry-run", "--tag"], started: "by a person", agent: undefined },
];

test.each(oneOrAll.flatMap((name) => byNpm.map((attempt) => ({ name, ...attempt }))))(
  "$name: npm $command.0, started $started, refuses and says to use pnpm",
  async ({ name, command, agent }) => {
    const folder = await emptyFolder();
    const failed = await run("npm", [...command, folder], {
      cwd: folderOf(name),
      env: { ...process.env, npm_config_user_agent: agent },
    }).then(
      () => undefined,
      (error: { code: number; stderr: string }) => error,
    );
    expect(failed?.code).toBeGreaterThan(0);
    expect(failed?.stderr).toContain("Pack and publish this package with pnpm");
    expect(await readdir(folder)).toEqual([]);
  },
);

test.each([
  ["yarn/1.22.22 npm/? node/v24.21.0 linux x64", "/usr/lib/node_modules/yarn/lib/cli.js"],
  ["yarn/4.12.0 npm/? node/v24.21.0 linux x64", "/usr/bin/pnpm"],
  ["bun/1.3.0 npm/? node/v24.21.0 linux x64", "/usr/bin/bun"],
  ["", ""],
])("the agent %j at %j may not pack", async (agent, tool) => {
  const env = { ...process.env, npm_config_user_agent: agent, npm_execpath: tool };
  await expect(run(process.execPath, [join(import.meta.dirname, "../demand-pnpm.mjs")], { env })).rejects.toThrow(
    "Pack and publish this package with pnpm",
  );
});

/** Packing the sandbox makes a database first. */
const packedNames = isFull ? publishedNames : publishedNames.filter((name) => name !== "sandbox");

test.each(packedNames)("%s: pnpm packs a complete package, with versions that npm understands", async (name) => {
  const folder = await emptyFolder();
  const tarball = await pack(name, folder);
  const { stdout } = await run("tar", ["-xOzf", tarball, "package/package.json"]);
  expect(stdout).toContain(`"@offers/${name}"`);
  expect(stdout).not.toMatch(/catalog:|workspace:|"prepack"/);
  const manifest = JSON.parse(stdout) as Record<string, unknown>;
  expect(manifest).toMatchObject({ license: "MIT", engines: { node: expect.stringMatching(/^>=\d+\.\d+$/) } });
  expect(manifest.exports).toHaveProperty("./package.json");
  // changesets writes it with the first version; pnpm packs it only where `files` has it.
  expect(manifest.files).toContain("CHANGELOG.md");

  expect((await run("publint", ["run", "--strict", tarball])).stdout).toContain("All good!");
  const listed = (await run("tar", ["-tvzf", tarball])).stdout.trim().split("\n");
  const paths = listed.map((line) => line.split(/\s+/).at(-1));
  expect(paths).toEqual(expect.arrayContaining(["package/LICENSE", "package/README.md"]));
  const bytes = listed.reduce((sum, line) => sum + Number(line.split(/\s+/)[2]), 0);
  expect(bytes).toBeLessThanOrEqual(unpackedCeilings[name] ?? 10_000_000);
});

test.each(oneOrAll)("%s: pnpm publishes", async (name) => {
  const { stdout, stderr } = await run("pnpm", ["publish", "--dry-run", "--no-git-checks"], {
    cwd: folderOf(name),
  });
  expect(stdout + stderr).toContain(`@offers/${name}@`);
});
