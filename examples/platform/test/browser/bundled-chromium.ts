import { execFile } from "node:child_process";
import { createReadStream, createWriteStream } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createBrotliDecompress } from "node:zlib";
import { type CacheEntry, getCachedFolder } from "../support/stores/cached-folder.ts";

/** A Chromium that depends only on the machine's C library. */
export interface BundledChromium {
  executablePath: string;
  /** Environment variables that point to the package's libraries and font. */
  env: Record<string, string>;
}

/**
 * Unpacks the Chromium from the npm package @sparticuz/chromium, once per version. The package's own function is not used, because it would
 * let two processes write to the same temporary folder.
 *
 * @throws on any system except Linux on x64, the only system that the package's binary supports
 */
export async function unpackChromium(): Promise<BundledChromium> {
  if (process.platform !== "linux" || process.arch !== "x64")
    throw new Error("@sparticuz/chromium supports only Linux on x64");
  const folder = await getCachedFolder("@sparticuz/chromium", unpack);
  return {
    executablePath: join(folder, "chromium"),
    env: { LD_LIBRARY_PATH: join(folder, "lib"), FONTCONFIG_FILE: join(folder, "fonts.conf") },
  };
}

async function unpack(temporaryFolder: string, { packageFolder, folder }: CacheEntry): Promise<void> {
  const bin = join(packageFolder, "bin");
  await decompress(join(bin, "chromium.br"), join(temporaryFolder, "chromium"), 0o755);
  for (const name of ["al2023.tar", "fonts.tar"]) {
    await decompress(join(bin, `${name}.br`), join(temporaryFolder, name));
    await promisify(execFile)("tar", ["-xf", join(temporaryFolder, name), "-C", temporaryFolder]);
    await rm(join(temporaryFolder, name));
  }
  await writeFile(join(temporaryFolder, "fonts.conf"), fontConfiguration(folder));
}

const decompress = (source: string, target: string, mode = 0o644): Promise<void> =>
  pipeline(createReadStream(source), createBrotliDecompress(), createWriteStream(target, { mode }));

/** Returns a fontconfig file for the package's font and the machine's fonts. */
const fontConfiguration = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`;
