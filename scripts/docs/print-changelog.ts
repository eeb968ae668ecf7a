import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The changes of the published packages as one page: those that wait for a release, then each package's changelog. */
export function printChangelog(root: string): string {
  const waiting = globSync(".changeset/*.md", { cwd: root, exclude: [".changeset/README.md"] })
    .sort()
    .map((file) => readFileSync(join(root, file), "utf8"))
    .map((text) => {
      const [, packages = "", change = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
      const names = [...packages.matchAll(/"([^"]+)": (\w+)/g)].map(([, name, kind]) => `\`${name}\` (${kind})`);
      return `### ${names.join(", ")}\n\n${change.trim()}`;
    });
  const released = ["packages/client", "packages/webhook-kit", "packages/cli", "examples/platform"]
    .map((folder) => join(root, folder, "CHANGELOG.md"))
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, "utf8").replace(/^#+/gm, "#$&"));
  return [
    '---\ntitle: Changelog\ndescription: "What has changed for the users of the packages, and what the next release changes."\n---',
    "# Changelog",
    "[Versioning](versioning.md) says what a major version may change.",
    ...(waiting.length > 0 ? ["## Next release", waiting.join("\n\n")] : []),
    ...released,
    "",
  ].join("\n\n");
}
