// For `node --import`: the platform process loads modules with the bugs that `CRASH_TEST_BUGS` lists.
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isMainThread } from "node:worker_threads";
import { fileWithBug, type PlatformBug, platformBugs, withBug } from "./platform-bug.ts";

const main = pathToFileURL(join(import.meta.dirname, "../../../../examples/platform/src/main.ts")).href;
const wanted = (process.env.CRASH_TEST_BUGS ?? "").split(",") as PlatformBug[];
const unknown = wanted.filter((name) => !platformBugs.includes(name));
if (unknown.length > 0) throw new Error(`unknown bug ${unknown.join(", ")}`);

const waiting = new Set(wanted);
const byAddress = new Map(wanted.map((name) => [pathToFileURL(fileWithBug(name)).href, name]));
if (byAddress.size < wanted.length) throw new Error("two trafficMutations rewrite the same module");

// A module's imports are loaded and run before its own first statement: a bug that is not in place by then never will be.
Object.assign(globalThis, {
  requireBug() {
    if (waiting.size > 0)
      throw new Error(`the platform does not load the module that bug ${[...waiting].join(", ")} rewrites`);
  },
});

const textOf = (source: string | ArrayBuffer | NodeJS.TypedArray | undefined): string =>
  typeof source === "string" ? source : new TextDecoder().decode(source);

// The workers of the platform load other modules.
if (isMainThread)
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (url === main) return { ...loaded, source: `globalThis.requireBug(); ${textOf(loaded.source)}` };
      const bug = byAddress.get(url);
      if (bug === undefined) return loaded;
      waiting.delete(bug);
      return { ...loaded, source: withBug(bug, textOf(loaded.source)) };
    },
  });
