import { defineConfig } from "tsup";

// What `dependencies` names stays outside; the kit, a devDependency, is bundled. All files lie in one folder: the store starts
// its worker from beside its own file.
export default defineConfig({
  entry: { main: "src/sandbox/main.ts", "pglite-worker": "src/store/pglite/pglite-worker.ts" },
  format: ["esm"],
  splitting: true,
  clean: true,
  removeNodeProtocol: false,
  target: "node22",
  silent: true,
  tsconfig: "../../tsconfig.json",
});
