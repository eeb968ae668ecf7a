import { findPackageJSON } from "node:module";
import { dirname } from "node:path";

const manifest = findPackageJSON("..", import.meta.url);
if (manifest === undefined) throw new Error("no package.json stands above the platform's files");

/** Where `seed/` and `src/routes/pages/assets/` are found: from the sources, and from the bundle, whose files lie elsewhere. */
export const packageFolder = dirname(manifest);
