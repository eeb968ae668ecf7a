import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const packages: Readonly<Record<string, string>> = {
  "@offers/client": "packages/client",
  "@offers/webhook-kit": "packages/webhook-kit",
  "@offers/cli": "packages/cli",
  "@offers/sandbox": "examples/platform",
};

const headings: Readonly<Record<string, string>> = { major: "Breaking changes", minor: "New", patch: "Fixed" };

/** Renders the changes that affect users, by package and kind of change. For each package, the next release precedes the earlier ones. */
export function renderChangelog(root: string): string {
  const changesets = globSync(".changeset/*.md", { cwd: root, exclude: [".changeset/README.md"] })
    .sort()
    .map((file) => readFileSync(join(root, file), "utf8"));
  const sections = Object.entries(packages).flatMap(([name, folder]) => {
    const unreleasedBlocks = Object.entries(headings).flatMap(([bump, title]) => {
      const changes = changesets
        .filter((text) => text.includes(`"${name}": ${bump}\n`))
        .map((text) => findChangesFor(text, name));
      return changes.length > 0 ? [`#### ${title}`, ...changes] : [];
    });
    const file = join(root, folder, "CHANGELOG.md");
    const releasedChangelog = existsSync(file)
      ? readFileSync(file, "utf8")
          .replace(/^# .*\n/, "")
          .replace(/^##/gm, "###")
          .trim()
      : "";
    return [
      `## ${name}`,
      ...(unreleasedBlocks.length > 0 ? ["### Next release", ...unreleasedBlocks] : []),
      releasedChangelog,
    ].filter(Boolean);
  });
  return [
    '---\ntitle: Changelog\ndescription: "What has changed for the users of the packages, by package and kind of change."\nkeywords: [breaking changes, release notes, upgrade]\n---',
    "# Changelog",
    "[Versioning](versioning.md) describes what a major version may change.",
    ...sections,
    "",
  ].join("\n\n");
}

/** Finds the changes of a package in a changeset: the list items that start with its name or, if there are none, the whole text. */
function findChangesFor(changeset: string, name: string): string {
  const text = changeset.replace(/^---\n[\s\S]*?\n---\n/, "").trim();
  const items = text.split(/^(?=- )/m).filter((item) => item.startsWith(`- \`${name}\``));
  return items.length > 0 ? items.map((item) => item.split("\n\n")[0]?.trim()).join("\n") : text;
}
