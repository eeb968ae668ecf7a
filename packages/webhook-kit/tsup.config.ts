import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/index.ts", "src/express.ts", "src/fetch.ts", "src/node.ts", "src/redis.ts", "src/testing.ts"],
  format: ["esm", "cjs"],
  dts: true,
  // Also for CommonJS: an error thrown by /express must be an instance of the class that the main entry exports.
  splitting: true,
  clean: true,
  removeNodeProtocol: false,
  target: "node20",
  silent: true,
  tsconfig: "../../tsconfig.json",
});
