import { defineConfig } from "tsup";

export default defineConfig({
  entry: [
    "src/index.ts",
    "src/node.ts",
    "src/openapi-fetch.ts",
    "src/opentelemetry.ts",
    "src/schemas.ts",
    "src/testing.ts",
  ],
  format: ["esm", "cjs"],
  dts: true,
  // Also for CommonJS: an error thrown through a subpath must be an instance of the class that the main entry exports.
  splitting: true,
  removeNodeProtocol: false,
  clean: true,
  target: "node20",
  silent: true,
  tsconfig: "../../tsconfig.json",
});
