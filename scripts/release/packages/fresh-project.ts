import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { pack, packageNames } from "./packages.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");

/** A project outside the workspace, in which npm has installed the packages. */
export interface FreshProject {
  folder: string;
  /** Returns the path of a package's tarball, by the package name without the scope. */
  tarball(name: string): string;
  /** Installs packages, in the given version or the version from the workspace catalog. */
  install(...names: string[]): Promise<void>;
  /** Writes a file. @returns its path */
  write(file: string, content: string): Promise<string>;
  remove(): Promise<void>;
}

/** Creates a project and installs the packed packages with npm. */
export async function createFreshProject(): Promise<FreshProject> {
  const folder = await mkdtemp(join(tmpdir(), "offers-packed-"));
  const tarballs = await Promise.all(packageNames.map((name) => pack(name, folder)));
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "fresh", private: true, version: "1.0.0" }));
  const { catalog } = parse(await readFile(join(root, "pnpm-workspace.yaml"), "utf8")) as {
    catalog: Record<string, string>;
  };
  const project: FreshProject = {
    folder,
    tarball: (name) => tarballs[packageNames.indexOf(name)] ?? throwUnknownPackage(name),
    async install(...names) {
      const specifiers = names.map((name) => (catalog[name] ? `${name}@${catalog[name]}` : name));
      await run("npm", ["install", "--no-audit", "--no-fund", ...specifiers], { cwd: folder });
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

function throwUnknownPackage(name: string): never {
  throw new Error(`${name} is not among the packed packages`);
}

/** Packages that the published types and code import, keyed by the workspace folder in which they are installed. */
const peers = {
  ".": ["@types/express", "@types/node", "express", "zod"],
  "packages/client": ["@opentelemetry/api", "msw", "openapi-fetch"],
  "packages/webhook-kit": ["redis"],
};

export interface UnpackedProject {
  folder: string;
  remove(): Promise<void>;
}

/**
 * Creates a project that contains the unpacked packages and links to their peers in the workspace. This is enough for a compiler, and much
 * faster than `npm install`.
 */
export async function createUnpackedProject(): Promise<UnpackedProject> {
  const folder = await mkdtemp(join(tmpdir(), "offers-unpacked-"));
  const modules = join(folder, "node_modules");
  await Promise.all(packageNames.map((name) => unpack(name, folder, join(modules, "@offers", name))));
  for (const [workspaceFolder, names] of Object.entries(peers))
    for (const name of names) {
      await mkdir(dirname(join(modules, name)), { recursive: true });
      await symlink(join(root, workspaceFolder, "node_modules", name), join(modules, name));
    }
  return { folder, remove: () => rm(folder, { recursive: true }) };
}

async function unpack(name: string, tarballs: string, destination: string): Promise<void> {
  const [tarball] = await Promise.all([pack(name, tarballs), mkdir(destination, { recursive: true })]);
  await run("tar", ["-xzf", tarball, "--strip-components=1", "-C", destination]);
}
