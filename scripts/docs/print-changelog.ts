import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const packages: Readonly<Record<string, string>> = {
  "@offers/client": "packages/client",
  "@offers/webhook-kit": "packages/webhook-kit",
  "@offers/cli": "packages/cli",
  "@offers/sandbox": "examples/platform",
};

const kinds: Readonly<Record<string, string>> = { major: "Breaking changes", minor: "New", patch: "Fixed" };

/** Changes for users, by package and kind: first those of the next release, then those of each release. */
export function printChangelog(root: string): string {
  const changesets = globSync(".changeset/*.md", { cwd: root, exclude: [".changeset/README.md"] })
    .sort()
    .map((file) => readFileSync(join(root, file), "utf8"));
  const sections = Object.entries(packages).flatMap(([name, folder]) => {
    const waiting = Object.entries(kinds).flatMap(([kind, title]) => {
      const changes = changesets
        .filter((text) => text.includes(`"${name}": ${kind}\n`))
        .map((text) => partOf(text, name));
      return changes.length > 0 ? [`#### ${title}`, ...changes] : [];
    });
    const file = join(root, folder, "CHANGELOG.md");
    const released = existsSync(file)
      ? readFileSync(file, "utf8")
          .replace(/^# .*\n/, "")
          .replace(/^##/gm, "###")
          .trim()
      : "";
    return [`## ${name}`, ...(waiting.length > 0 ? ["### Next release", ...waiting] : []), released].filter(Boolean);
  });
  return [
    '---\ntitle: Changelog\ndescription: "What has changed for the users of the packages, by package and kind of change."\nkeywords: [breaking changes, release notes, upgrade]\n---',
    "# Changelog",
    "[Versioning](versioning.md) says what a major version may change.",
    ...sections,
    "",
  ].join("\n\n");
}

/** The part of a changeset about a package: the list items that start with its name, or all of it. */
function partOf(changeset: string, name: string): string {
  const text = changeset.replace(/^---\n[\s\S]*?\n---\n/, "").trim();
  const own = text.split(/^(?=- )/m).filter((item) => item.startsWith(`- \`${name}\``));
  return own.length > 0 ? own.map((item) => item.split("\n\n")[0]?.trim()).join("\n") : text;
}
