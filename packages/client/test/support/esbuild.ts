import { createRequire } from "node:module";

interface Esbuild {
  build(options: object): Promise<{
    metafile: { outputs: Record<string, { imports: { path: string }[] }> };
    outputFiles: [{ contents: Uint8Array; text: string }];
  }>;
}

/** esbuild's `build`, resolved from tsup, which installs esbuild. */
export const { build }: Esbuild = createRequire(createRequire(import.meta.url).resolve("tsup"))("esbuild");
