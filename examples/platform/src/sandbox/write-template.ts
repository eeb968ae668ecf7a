// Writes the files of an empty store with the current tables to dist/, from which the bundle creates its store:
//   node src/sandbox/write-template.ts
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { PGlite } from "@electric-sql/pglite";
import { packageFolder } from "../settings/package-folder.ts";
import { openStore } from "../store/open-store.ts";

const dataFolder = await mkdtemp(join(tmpdir(), "offers-template-"));
try {
  const store = await openStore({ dataFolder });
  await store.close();
  const database = await PGlite.create(join(dataFolder, "pglite"));
  const tar = Buffer.from(await (await database.dumpDataDir("none")).arrayBuffer());
  await database.close();
  // Its three databases are almost alike: with a window larger than one of them, the file is half the size.
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 9,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: tar.length,
  };
  const template = await promisify(brotliCompress)(tar, { params });
  await writeFile(join(packageFolder, "dist/pglite-template.tar.br"), template);
} finally {
  await rm(dataFolder, { recursive: true });
}
