import type { KnipConfig } from "knip";
import { readPublishedPackages } from "./packages.ts";

const published = readPublishedPackages().map(({ folder }) => folder);
const examples = published.map((folder) => folder.replace("examples/", "")).join("|");

/** For the published packages: files that nothing imports, and dependencies that are missing or unused. */
export default {
  ignoreWorkspaces: [".", "bench", "packages/contract", `examples/!(${examples})`, "scripts/*", "tests/*"],
  workspaces: Object.fromEntries(
    published.map((folder) => [
      folder,
      {
        // The sandbox is published with its file; a clone has it from the root.
        ignoreDependencies: ["@scalar/api-reference"],
        entry: ["src/*.ts!", "src/sandbox/write-template.ts!", "!src/*.test.ts!"],
        project: ["src/**/*.ts!", "!src/**/*.test.ts!"],
      },
    ]),
  ),
} satisfies KnipConfig;
