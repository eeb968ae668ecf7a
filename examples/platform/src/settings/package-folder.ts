import { findPackageJSON } from "node:module";
import { dirname } from "node:path";

const manifest = findPackageJSON("..", import.meta.url);
if (manifest === undefined) throw new Error("no package.json stands above the platform's files");

/** The folder of `seed/` and `src/routes/pages/assets/`, both from the sources and from the bundle, whose files are elsewhere. */
export const packageFolder = dirname(manifest);
