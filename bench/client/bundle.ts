import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import type { Package } from "./candidate.ts";

/** Bundles and minifies a program with all its imports. @returns its size in bytes after gzip */
export async function measureBundleBytes({ program, platform = "browser" }: Package): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: "esm",
    platform,
    write: false,
    logLevel: "error",
  });
  const [output] = outputFiles;
  if (!output) throw new Error("Nothing was bundled.");
  return gzipSync(output.contents, { level: 9 }).length;
}
