import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { pack } from "../../release/packages/packages.ts";

const run = promisify(execFile);

test.each(["client", "webhook-kit"] as const)("the tarball of %s contains its README and its skill", async (name) => {
  const folder = await mkdtemp(join(tmpdir(), "offers-tarball-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const tarball = await pack(name, folder);
  const { stdout: files } = await run("tar", ["-tzf", tarball]);
  expect(files.split("\n")).toEqual(expect.arrayContaining(["package/README.md", "package/SKILL.md"]));
  const { stdout: skill } = await run("tar", ["-xOzf", tarball, "package/SKILL.md"]);
  // https://agentskills.io/specification: a name in kebab case, and a description of at most 1,024 characters.
  expect(skill).toMatch(/^---\nname: [a-z0-9-]{1,64}\ndescription: .{1,1024}\n---\n/);
});
