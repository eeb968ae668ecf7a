import type { KnipConfig } from "knip";
import { readPublishedPackages } from "./packages.ts";

const published = readPublishedPackages().map(({ folder }) => folder);
const examples = published.map((folder) => folder.replace("examples/", "")).join("|");

/** Makes knip find unused files in the published packages, and dependencies that are missing or unused. */
export default {
  ignoreWorkspaces: [".", "bench", "packages/contract", `examples/!(${examples})`, "scripts/*", "tests/*"],
  workspaces: Object.fromEntries(
    published.map((folder) => [
      folder,
      {
        // The published sandbox contains the file from this package. In a clone, the package is installed at the root.
        ignoreDependencies: ["@scalar/api-reference"],
        entry: ["src/*.ts!", "src/sandbox/write-template.ts!", "!src/*.test.ts!"],
        project: ["src/**/*.ts!", "!src/**/*.test.ts!"],
      },
    ]),
  ),
} satisfies KnipConfig;
