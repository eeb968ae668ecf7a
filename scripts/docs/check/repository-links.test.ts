// Checks the links in the documents of the repository, and the URLs that the packages emit.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path/posix";
import { slug } from "github-slugger";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const trackedFiles = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
})
  .trim()
  .split("\n");
const folders = new Set(
  trackedFiles.flatMap((file) => file.split("/").map((_, index, parts) => parts.slice(0, index).join("/"))),
);
const files = new Set(trackedFiles);
const read = (file: string) => readFileSync(join(root, file), "utf8");

const anchors = new Map<string, Set<string>>();

/** Finds the anchors that GitHub generates for the headings of a Markdown file. */
function findAnchors(file: string): Set<string> {
  const cached = anchors.get(file);
  if (cached) return cached;
  const text = read(file).replace(/^```[\s\S]*?^```$/gm, "");
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    slug(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")),
  );
  const slugs = new Set(headings);
  anchors.set(file, slugs);
  return slugs;
}

/** Explains why a link within the repository is dead. @returns an empty array if the link works, or leads to a different site */
function explainDeadLink(source: string, target: string): string[] {
  const [, repositoryPath] = /^https:\/\/github\.com\/offers\/offers\/(?:blob|tree)\/main\/([^?]*)/.exec(target) ?? [];
  if (repositoryPath === undefined && /^[a-z]+:/.test(target)) return [];
  const [path = "", fragment] = (repositoryPath ?? target).split("#");
  const file =
    repositoryPath === undefined ? normalize(join(dirname(source), path)).replace(/\/$/, "") : path.replace(/\/$/, "");
  const linkedFile = path === "" ? source : file;
  if (!files.has(linkedFile) && !folders.has(linkedFile)) return [`${source}: ${target} is not in the repository`];
  if (fragment === undefined || !linkedFile.endsWith(".md") || findAnchors(linkedFile).has(fragment)) return [];
  return [`${source}: ${target} has no such heading`];
}

const findLinks = (file: string): string[] => {
  const text = read(file)
    .replace(/^ *```[\s\S]*?^ *```$/gm, "")
    .replace(/`[^`\n]*`/g, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
};

test("every link in a document leads to an existing file and an existing heading", () => {
  // spec/interface.md belongs to the service. A changeset becomes part of a changelog.
  const documents = trackedFiles.filter(
    (file) => file.endsWith(".md") && !/^(?:\.changeset\/|spec\/interface)/.test(file),
  );
  const links = documents.flatMap((file) => findLinks(file).map((target) => ({ file, target })));
  expect(links.length).toBeGreaterThan(500);
  expect(links.flatMap(({ file, target }) => explainDeadLink(file, target))).toEqual([]);
});

test("every repository URL that a package or the platform emits leads to an existing file and heading", () => {
  const sources = trackedFiles.filter((file) => /^(?:packages|examples)\/[^/]+\/(?:src\/|package\.json)/.test(file));
  const urls = sources.flatMap((file) =>
    [...read(file).matchAll(/https:\/\/github\.com\/offers\/offers\/(?:blob|tree)\/main\/[\w./@-]+(?:#[\w-]+)?/g)].map(
      ([url]) => ({ file, url }),
    ),
  );
  expect(urls.length).toBeGreaterThan(5);
  expect(urls.flatMap(({ file, url }) => explainDeadLink(file, url))).toEqual([]);
});
