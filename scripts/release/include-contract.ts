// Copies the sources of @offers/contract that a package bundles. Run it in the package folder, after the JavaScript and the declarations
// have been built:
//   node ../../scripts/release/include-contract.ts
// Source maps must refer to files in the package, because debuggers show those files and "go to definition" opens them.
import { copyFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const contract = join("..", "contract", "src");

for (const file of globSync("dist/**/*.map")) {
  const map = JSON.parse(readFileSync(file, "utf8")) as { sources: string[] };
  const sources = map.sources.map((source) => {
    const path = relative(contract, join(dirname(file), source));
    if (path.startsWith("..")) return source;
    const copy = join("dist", "contract", "src", path);
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(join(contract, path), copy);
    return relative(dirname(file), copy);
  });
  writeFileSync(file, JSON.stringify({ ...map, sources }));
}
