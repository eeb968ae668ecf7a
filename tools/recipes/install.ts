import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import type { FreshProject } from "../packed/fresh-project.ts";

const workspace = join(import.meta.dirname, "../../pnpm-workspace.yaml");

/** Installs packages into a fresh project, in the version that is named, or that of the workspace's catalog. */
export async function install({ folder }: FreshProject, ...names: string[]): Promise<void> {
  const { catalog } = parse(await readFile(workspace, "utf8")) as { catalog: Record<string, string> };
  const wanted = names.map((name) => (catalog[name] ? `${name}@${catalog[name]}` : name));
  await promisify(execFile)("npm", ["install", "--no-audit", "--no-fund", ...wanted], { cwd: folder });
}
