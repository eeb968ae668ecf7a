import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parse } from "yaml";

const root = join(import.meta.dirname, "../..");

/** A package of the workspace that is published: every one that is not private. */
export interface PublishedPackage {
  /** As it is installed: `@offers/client`. */
  name: string;
  /** Its name without the scope: `client`. */
  shortName: string;
  /** Relative to the root. */
  folder: string;
  version: string;
  bin: Readonly<Record<string, string>>;
  /** Whether a program can import it; a command has `bin` alone. */
  isImported: boolean;
}

interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  bin?: Record<string, string>;
  exports?: Record<string, unknown>;
}

/** @param workspace the root of a clone */
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
      const isImported = Object.values(exports).some((entry) => typeof entry === "object");
      return { name, shortName: basename(name), folder: dirname(file), version, bin, isImported };
    });
}
