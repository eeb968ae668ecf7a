import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";

interface Esbuild {
  build(options: object): Promise<{ outputFiles: [{ contents: Uint8Array }] }>;
}

/** esbuild comes with tsup, which builds the packages. */
const clientRequire = createRequire(new URL("../../packages/client/package.json", import.meta.url));
const { build }: Esbuild = createRequire(clientRequire.resolve("tsup"))("esbuild");

/** Bytes of a program with all that it imports, minified and compressed as a server would send it. */
export async function bundledBytes(program: string): Promise<number> {
  const {
    outputFiles: [{ contents }],
  } = await build({
    stdin: { contents: program, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    write: false,
  });
  return gzipSync(contents, { level: 9 }).length;
}
