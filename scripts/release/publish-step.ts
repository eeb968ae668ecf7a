import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseWorkflow, readWorkflows } from "../ci/workflows/workflow.ts";
import type { PackedRelease } from "./tarballs.ts";

/** Computes the output of the hash step in release.yml: the `sha256sum` of the plan and of each tarball. */
export async function computeHashes(folder: string, releases: readonly PackedRelease[]): Promise<string> {
  const files = ["publish-plan.json", ...releases.map(({ tarball }) => tarball)];
  const lines = files.map(async (file) => {
    const hash = createHash("sha256").update(await readFile(join(folder, file)));
    return `${hash.digest("hex")}  ${file}`;
  });
  return (await Promise.all(lines)).join("\n");
}

export interface Publication {
  code: number | null;
  output: string;
  /** The exit code, the first error line and the whole output, for a message. */
  cause: string;
  /** The ids that the step reports as published by this run or an earlier one. */
  published: readonly string[];
}

/**
 * Runs the publish script from release.yml on a folder of packed tarballs.
 *
 * @param snapshotTag the npm dist-tag of a snapshot
 */
export async function runPublishStep(
  folder: string,
  sha256sums: string,
  env: Record<string, string | undefined>,
  snapshotTag = "",
): Promise<Publication> {
  const { jobs } = parseWorkflow(readWorkflows().get("release.yml") ?? "");
  const script = jobs.publish?.steps?.find(({ run }) => run?.includes("npm publish"))?.run;
  if (script === undefined) throw new Error("release.yml has no step that publishes");
  const outputFile = join(folder, "..", `outputs-${Date.now()}`);
  await writeFile(outputFile, "");
  // Like GitHub's `shell: bash`, but in a separate process group.
  const child = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], {
    cwd: folder,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    // Provenance is signed with an identity that only GitHub provides.
    env: { ...env, SHA256SUMS: sha256sums, SNAPSHOT_TAG: snapshotTag, PROVENANCE: "false", GITHUB_OUTPUT: outputFile },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk) => {
      output += chunk;
    });
  const [code] = (await once(child, "close")) as [number | null];
  const [, published = ""] = /^published=(.*)$/m.exec(await readFile(outputFile, "utf8")) ?? [];
  return { code, output, cause: formatCause(code, output), published: published.split(" ").filter(Boolean) };
}

const errorLine = /^(?:npm error (?!code |A complete log)|::error::|sha256sum:|\S+: FAILED)/;

/** Formats the cause of a failure. The first error line precedes the output, because the output is long. */
function formatCause(code: number | null, output: string): string {
  const error = output.split("\n").find((line) => errorLine.test(line)) ?? "without an error message";
  return `exited with ${code}: ${error}\n${output}`;
}
