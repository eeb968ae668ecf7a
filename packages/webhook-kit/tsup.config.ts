import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { defineConfig } from "tsup";

export default defineConfig({
  entry: [
    "index",
    "catch-up",
    "express",
    "fetch",
    "lambda",
    "mysql",
    "node",
    "opentelemetry",
    "postgres",
    "redis",
    "sqlite",
    "testing",
  ].map((name) => `src/${name}.ts`),
  format: ["esm", "cjs"],
  // Even in CommonJS, an error thrown by /express must be an instance of the class that the main entry exports.
  splitting: true,
  clean: true,
  removeNodeProtocol: false,
  target: "node20",
  // The package contains its sources: the maps name them and repeat nothing.
  sourcemap: true,
  esbuildOptions: (options) => {
    options.sourcesContent = false;
  },
  // In CommonJS, tsup writes each chunk's absolute path into its source map, so builds in two folders would differ.
  onSuccess: async () => {
    for (const file of readdirSync("dist").filter((name) => name.endsWith(".cjs.map"))) {
      const map = readFileSync(join("dist", file), "utf8");
      writeFileSync(join("dist", file), map.replaceAll(`"${resolve("dist")}/`, '"'));
    }
  },
  silent: true,
  tsconfig: "../../tsconfig.json",
});
