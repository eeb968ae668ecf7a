import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { defineConfig } from "tsup";

const reference = findPackageJSON("@scalar/api-reference", import.meta.url);
if (reference === undefined) throw new Error("@scalar/api-reference is not installed");

/** The files that the console serves; see src/routes/console/console-files.ts. */
const consoleFiles = {
  "reference.js": join(dirname(reference), "dist/browser/standalone.js"),
  "openapi.yaml": "../../spec/openapi.yaml",
};

// Packages in `dependencies` stay outside the bundle, but the kit, a devDependency, is bundled. All files are in one folder, because the
// store starts its worker from a file next to its own.
export default defineConfig({
  entry: { main: "src/sandbox/main.ts", "pglite-worker": "src/store/pglite/pglite-worker.ts" },
  format: ["esm"],
  splitting: true,
  clean: true,
  removeNodeProtocol: false,
  target: "node22",
  onSuccess: async () => {
    mkdirSync("dist/console", { recursive: true });
    for (const [name, source] of Object.entries(consoleFiles))
      writeFileSync(`dist/console/${name}.gz`, gzipSync(readFileSync(source), { level: 9 }));
  },
  silent: true,
  tsconfig: "../../tsconfig.json",
});
