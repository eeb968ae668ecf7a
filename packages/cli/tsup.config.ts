import { cpSync } from "node:fs";
import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/offers.ts", "src/explain.ts", "src/test-events.ts"],
  format: ["esm"],
  // Each command is a separate chunk, loaded when it runs.
  splitting: true,
  clean: true,
  dts: { entry: ["src/explain.ts", "src/test-events.ts"] },
  removeNodeProtocol: false,
  target: "node20",
  // The probe reads its cases from these files at run time.
  onSuccess: async () => {
    for (const path of ["config.json", "cases", "standard-webhooks"])
      cpSync(new URL(`../../spec/corpus/${path}`, import.meta.url), `dist/corpus/${path}`, { recursive: true });
  },
  silent: true,
  tsconfig: "../../tsconfig.json",
});
