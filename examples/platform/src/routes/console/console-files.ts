import { hash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { packageFolder } from "../../settings/package-folder.ts";

/** A compressed file that the console serves. */
export interface ConsoleFile {
  /** The file name. It contains a hash of the content, except for the OpenAPI document, which has a fixed name. */
  name: string;
  type: string;
  zipped: Buffer;
}

export interface ConsoleFiles {
  /** The standalone bundle of @scalar/api-reference. */
  reference: ConsoleFile;
  /** The script that starts the API reference. */
  start: ConsoleFile;
  openapi: ConsoleFile;
}

let files: ConsoleFiles | undefined;

/** Loads the console files on the first call, because most platforms never open the console. Later calls return the same files. */
export function loadConsoleFiles(): ConsoleFiles {
  files ??= {
    reference: scriptFile("reference", readZipped("reference.js", findReferenceScript)),
    start: scriptFile("start", gzipSync(readFileSync(join(packageFolder, "src/routes/pages/assets/console.js")))),
    openapi: {
      name: "openapi.yaml",
      type: "application/yaml",
      zipped: readZipped("openapi.yaml", () => join(packageFolder, "../../spec/openapi.yaml")),
    },
  };
  return files;
}

/** Reads a compressed file from `dist/console`, where the sandbox build writes it. In a clone, compresses the source file instead. */
function readZipped(name: string, findSource: () => string): Buffer {
  const built = join(packageFolder, "dist/console", `${name}.gz`);
  return existsSync(built) ? readFileSync(built) : gzipSync(readFileSync(findSource()));
}

function findReferenceScript(): string {
  const manifest = findPackageJSON("@scalar/api-reference", import.meta.url);
  if (manifest === undefined) throw new Error("@scalar/api-reference is not installed");
  return join(dirname(manifest), "dist/browser/standalone.js");
}

const scriptFile = (stem: string, zipped: Buffer): ConsoleFile => ({
  name: `${stem}.${hash("sha256", zipped, "hex").slice(0, 12)}.js`,
  type: "text/javascript",
  zipped,
});
