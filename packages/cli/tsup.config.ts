import { cpSync } from "node:fs";
import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/offers.ts"],
  format: ["esm"],
  // A command is a chunk of its own, loaded when it runs.
  splitting: true,
  clean: true,
  removeNodeProtocol: false,
  target: "node20",
  // Smaller, and a stack trace still shows lines that can be read.
  esbuildOptions(options) {
    options.minifySyntax = true;
  },
  // The probe's cases are data: they are read when it runs.
  onSuccess: async () => {
    for (const path of ["config.json", "cases", "standard-webhooks"])
      cpSync(new URL(`../../spec/corpus/${path}`, import.meta.url), `dist/corpus/${path}`, { recursive: true });
  },
  silent: true,
  tsconfig: "../../tsconfig.json",
});
