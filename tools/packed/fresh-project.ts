import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { pack, packageNames } from "./pack.ts";

const workspace = join(import.meta.dirname, "../../pnpm-workspace.yaml");

/** A project outside the workspace, into which the packages are installed as npm would install them. */
export interface FreshProject {
  folder: string;
  /** The path of a packed package, by its name without the scope. */
  tarball(name: string): string;
  /** Installs packages, in the version that is named, or that of the workspace's catalog. */
  install(...names: string[]): Promise<void>;
  /** @returns the file's path */
  write(file: string, content: string): Promise<string>;
  remove(): Promise<void>;
}

export async function freshProject(): Promise<FreshProject> {
  const folder = await mkdtemp(join(tmpdir(), "offers-packed-"));
  const tarballs = await Promise.all(packageNames.map((name) => pack(name, folder)));
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "fresh", private: true, version: "1.0.0" }));
  const { catalog } = parse(await readFile(workspace, "utf8")) as { catalog: Record<string, string> };
  const project: FreshProject = {
    folder,
    tarball: (name) => tarballs[packageNames.indexOf(name)] ?? raise(name),
    async install(...names) {
      const wanted = names.map((name) => (catalog[name] ? `${name}@${catalog[name]}` : name));
      await promisify(execFile)("npm", ["install", "--no-audit", "--no-fund", ...wanted], { cwd: folder });
    },
    async write(file, content) {
      await writeFile(join(folder, file), content);
      return join(folder, file);
    },
    remove: () => rm(folder, { recursive: true }),
  };
  await project.install(...tarballs, "express@5");
  return project;
}

function raise(name: string): never {
  throw new Error(`${name} is not among the packed packages`);
}
