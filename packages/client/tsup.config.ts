import { defineConfig, type Options } from "tsup";

const shared: Options = {
  format: ["esm", "cjs"],
  // One file per entry, because Node takes time to load each additional file.
  splitting: false,
  removeNodeProtocol: false,
  target: "node20",
  // The package contains its sources, so the maps do not repeat them.
  sourcemap: true,
  esbuildOptions: (options) => {
    options.sourcesContent = false;
  },
  // Each runtime resolves it to its own file.
  external: ["#transport"],
  silent: true,
  tsconfig: "../../tsconfig.json",
};

/** An error thrown through a subpath must be an instance of the class that the main entry exports, even in CommonJS. */
const classFiles = /^\.\.?\/(?:.*\/)?(?:error-classes|offers-error|offers-client)\.ts$/;

const classesFromIndex: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "classes-from-index",
  setup({ initialOptions, onResolve }) {
    const path = initialOptions.format === "cjs" ? "./index.cjs" : "./index.js";
    onResolve({ filter: classFiles }, () => ({ path, external: true }));
  },
};

const index = "src/index.ts";
const subpaths = ["openapi-fetch", "opentelemetry", "schemas", "testing"].map((name) => `src/${name}.ts`);

// The script that calls tsup empties dist first. If tsup did so, each of the two builds would remove the files of the other build.
export default defineConfig([
  { ...shared, entry: [index] },
  { ...shared, entry: subpaths, esbuildPlugins: [classesFromIndex] },
  { ...shared, entry: ["src/transport/fetch-transport.ts", "src/transport/node-transport.ts"] },
]);
