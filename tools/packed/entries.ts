import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageNames } from "./pack.ts";

/** A module that a user may import, from the `exports` of a package.json. */
export interface Entry {
  /** As it is imported. */
  name: string;
  /** The module that it is made from, relative to the root. */
  source: string;
  /** Its types, relative to `node_modules`, for those who import it and those who require it. */
  declarations: Record<"import" | "require", string>;
}

type Exports = Record<string, string | Record<"import" | "require", { types: string }>>;

export const entries: readonly Entry[] = packageNames.flatMap((folder) => {
  const manifest = readFileSync(join(import.meta.dirname, "../../packages", folder, "package.json"), "utf8");
  const { name, exports } = JSON.parse(manifest) as { name: string; exports: Exports };
  return Object.entries(exports).flatMap(([subpath, formats]) => {
    if (typeof formats === "string") return [];
    const source = formats.import.types.replace("./dist/", "").replace(".d.ts", ".ts");
    return {
      name: join(name, subpath),
      source: join("packages", folder, "src", source),
      declarations: { import: join(name, formats.import.types), require: join(name, formats.require.types) },
    };
  });
});
