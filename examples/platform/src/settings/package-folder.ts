import { findPackageJSON } from "node:module";
import { dirname } from "node:path";

const manifest = findPackageJSON("..", import.meta.url);
if (manifest === undefined) throw new Error("no package.json found in a parent folder of the platform's files");

/** The folder that contains `seed/` and `src/routes/pages/assets/`. It is the same for the sources and for the bundle. */
export const packageFolder = dirname(manifest);
