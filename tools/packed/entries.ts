import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { folderOf, packageNames } from "./pack.ts";

/** A module that a user may import, from the `exports` of a package.json. */
export interface Entry {
  /** As it is imported. */
  name: string;
  /** The module that it is made from, relative to the root. */
  source: string;
  /** Its types, relative to `node_modules`, for those who import it and those who require it. */
  declarations: Record<"import" | "require", string>;
}

const root = join(import.meta.dirname, "../..");

type Exports = Record<string, string | Record<"import" | "require", { types: string }>>;

export const entries: readonly Entry[] = packageNames.flatMap((shortName) => {
  const folder = folderOf(shortName);
  const manifest = readFileSync(join(folder, "package.json"), "utf8");
  const { name, exports } = JSON.parse(manifest) as { name: string; exports: Exports };
  return Object.entries(exports).flatMap(([subpath, formats]) => {
    if (typeof formats === "string") return [];
    const source = formats.import.types.replace("./dist/", "").replace(".d.ts", ".ts");
    return {
      name: join(name, subpath),
      source: join(relative(root, folder), "src", source),
      declarations: { import: join(name, formats.import.types), require: join(name, formats.require.types) },
    };
  });
});
