// Packs every published package, which has been built:
//   node tools/release/pack-all.ts folder
import { pack, publishedNames } from "../packed/pack.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("name the folder for the tarballs");
for (const name of publishedNames) await pack(name, folder);
