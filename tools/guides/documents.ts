import { globSync } from "node:fs";

/** Every document that people read on its own. What is generated, and the contract's text, is not ours to run. */
export const documents = (root: string): string[] =>
  globSync(
    ["*.md", "docs/{home,guides/*}.md", "{packages,examples}/*/README.md", "spec/**/README.md", ".changeset/README.md"],
    {
      cwd: root,
      exclude: (path) => path.includes("node_modules"),
    },
  ).sort();
