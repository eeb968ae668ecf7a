// For `node --import`: has a process of the platform load the modules that `TORTURE_SABOTAGE` names as that sabotage has them.
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isMainThread } from "node:worker_threads";
import { type PlatformSabotage, platformSabotages, sabotaged, sabotagedFile } from "./platform-sabotage.ts";

const main = pathToFileURL(join(import.meta.dirname, "../../examples/platform/src/main.ts")).href;
const wanted = (process.env.TORTURE_SABOTAGE ?? "").split(",") as PlatformSabotage[];
const unknown = wanted.filter((name) => !platformSabotages.includes(name));
if (unknown.length > 0) throw new Error(`there is no sabotage ${unknown.join(", ")}`);

const waiting = new Set(wanted);
const byAddress = new Map(wanted.map((name) => [pathToFileURL(sabotagedFile(name)).href, name]));
if (byAddress.size < wanted.length) throw new Error("two sabotages rewrite the same module");

// A module's imports are loaded and run before its own first statement: a sabotage that is not in place by then never will be.
Object.assign(globalThis, {
  demandSabotage() {
    if (waiting.size > 0)
      throw new Error(`the platform does not load what sabotage ${[...waiting].join(", ")} rewrites`);
  },
});

const textOf = (source: string | ArrayBuffer | NodeJS.TypedArray | undefined): string =>
  typeof source === "string" ? source : new TextDecoder().decode(source);

// The workers of the platform load other modules.
if (isMainThread)
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (url === main) return { ...loaded, source: `globalThis.demandSabotage(); ${textOf(loaded.source)}` };
      const sabotage = byAddress.get(url);
      if (sabotage === undefined) return loaded;
      waiting.delete(sabotage);
      return { ...loaded, source: sabotaged(sabotage, textOf(loaded.source)) };
    },
  });
