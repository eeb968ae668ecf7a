import { defineConfig, type Options } from "tsup";

const shared: Options = {
  format: ["esm", "cjs"],
  // A file for each entry: Node takes about a millisecond for every further one, and the main entry should take two at most.
  splitting: false,
  removeNodeProtocol: false,
  target: "node20",
  silent: true,
  tsconfig: "../../tsconfig.json",
};

/** An error thrown through a subpath must be an instance of the class that the main entry exports, also in CommonJS. */
const classes =
  /^\.\.?\/(?:.*\/)?(?:(?:answer|exchange|offers|usage)-error|(?:answer|exchange)-errors|offers-client)\.ts$/;

const classesFromIndex: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "classes-from-index",
  setup({ initialOptions, onResolve }) {
    const path = initialOptions.format === "cjs" ? "./index.cjs" : "./index.js";
    onResolve({ filter: classes }, () => ({ path, external: true }));
  },
};

export default defineConfig([
  { ...shared, entry: ["src/index.ts"] },
  {
    ...shared,
    entry: ["src/node.ts", "src/openapi-fetch.ts", "src/opentelemetry.ts", "src/schemas.ts", "src/testing.ts"],
    esbuildPlugins: [classesFromIndex],
  },
  {
    ...shared,
    // All at once: a type that two entries name must be one type.
    entry: [
      "src/index.ts",
      "src/node.ts",
      "src/openapi-fetch.ts",
      "src/opentelemetry.ts",
      "src/schemas.ts",
      "src/testing.ts",
    ],
    dts: { only: true },
  },
]);
