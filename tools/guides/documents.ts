import { globSync } from "node:fs";

/** Every hand-written document, but for the contract. */
export const documents = (root: string): string[] =>
  globSync(
    ["*.md", "docs/{home,guides/*}.md", "{packages,examples}/*/README.md", "spec/**/README.md", ".changeset/README.md"],
    {
      cwd: root,
      exclude: (path) => path.includes("node_modules"),
    },
  ).sort();
