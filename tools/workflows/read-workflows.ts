import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const folder = resolve(import.meta.dirname, "../../.github/workflows");

/** The text of every workflow, by its file's name. */
export const readWorkflows = (): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder)
      .filter((name) => /\.ya?ml$/.test(name))
      .map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );
