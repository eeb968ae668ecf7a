import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";

const root = join(import.meta.dirname, "../../..");

/** A published package in the workspace: any package that is not private. */
export interface PublishedPackage {
  /** Its name in an installation: `@offers/client`. */
  name: string;
  /** Its name without the scope: `client`. */
  shortName: string;
  /** Relative to the root. */
  folder: string;
  version: string;
  bin: Readonly<Record<string, string>>;
  /** Whether a program can import it. A command has only `bin`. */
  isImportable: boolean;
}

interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  bin?: Record<string, string>;
  exports?: Record<string, unknown>;
}

/** Reads the published packages in a workspace. @param workspace the root of a clone */
export function readPublishedPackages(workspace: string = root): readonly PublishedPackage[] {
  const { packages } = parse(readFileSync(join(workspace, "pnpm-workspace.yaml"), "utf8")) as { packages: string[] };
  return globSync(
    packages.map((pattern) => `${pattern}/package.json`),
    { cwd: workspace },
  )
    .sort()
    .flatMap((file) => {
      const manifest = JSON.parse(readFileSync(join(workspace, file), "utf8")) as Manifest;
      if (manifest.private === true) return [];
      const { name, version, bin = {}, exports = {} } = manifest;
      const isImportable = Object.values(exports).some((entry) => typeof entry === "object");
      return { name, shortName: basename(name), folder: dirname(file), version, bin, isImportable };
    });
}

const published = readPublishedPackages();

/** The names, without the scope, of the packages that programs import. */
export const packageNames: readonly string[] = published.flatMap(({ isImportable, shortName }) =>
  isImportable ? [shortName] : [],
);

/** Finds a published package's folder. */
export function findPackageFolder(name: string): string {
  const folder = published.find(({ shortName }) => shortName === name)?.folder;
  if (folder === undefined) throw new Error(`no published package is named ${name}`);
  return join(root, folder);
}

/** Packs a built package as for publishing. @returns the path of the tarball */
export async function pack(name: string, destination: string): Promise<string> {
  const { stdout } = await promisify(execFile)("pnpm", ["pack", "--json", "--pack-destination", destination], {
    cwd: findPackageFolder(name),
  });
  return (JSON.parse(stdout) as { filename: string }).filename;
}

/** A module that a user may import, from the `exports` of a package.json. */
export interface Entry {
  /** The specifier in an import of the module. */
  name: string;
  /** The module that it is built from, relative to the root. */
  source: string;
  /** Its types, relative to `node_modules`, for `import` and for `require`. */
  declarations: Record<"import" | "require", string>;
}

type Exports = Record<string, string | Record<"import" | "require", { types: string }>>;

export const entries: readonly Entry[] = packageNames.flatMap((shortName) => {
  const folder = findPackageFolder(shortName);
  const manifest = readFileSync(join(folder, "package.json"), "utf8");
  const { name, exports } = JSON.parse(manifest) as { name: string; exports: Exports };
  return Object.entries(exports).flatMap(([subpath, formats]) => {
    if (typeof formats === "string") return [];
    const source = formats.import.types.replace("./dist/", "").replace(".d.ts", ".ts");
    return {
      name: join(name, subpath),
      source: join(relative(root, folder), "src", source),
      declarations: { import: join(name, formats.import.types), require: join(name, formats.require.types) },
    };
  });
});
