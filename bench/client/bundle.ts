import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import type { Package } from "./candidate.ts";

/** The size of a program with all its imports, minified and compressed as a server would send it. */
export async function bundledBytes({ program, platform = "browser" }: Package): Promise<number> {
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
