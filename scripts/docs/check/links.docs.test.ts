import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, inject, test } from "vitest";
import { readHtml } from "./read-html.ts";

const site = inject("site");
const pages = inject("pages");
const prefix = new URL(inject("address")).pathname;
const root = join(import.meta.dirname, "../../..");

/** The ids of the elements on each page. */
const ids = new Map<string, Set<string>>();
const targets: { page: string; attribute: string; target: string }[] = [];

beforeAll(() => {
  for (const page of pages) {
    const html = readHtml(site, page);
    ids.set(`${page}.html`, new Set(html.querySelectorAll("[id]").map((element) => element.id)));
    for (const attribute of ["href", "src"])
      for (const element of html.querySelectorAll(`[${attribute}]`))
        targets.push({ page, attribute, target: element.getAttribute(attribute) ?? "" });
  }
});

const isExternal = (target: string) => /^[a-z]+:/.test(target);

test("no link within the site is dead", () => {
  const deadLinks = targets.filter(({ page, target }) => {
    if (isExternal(target)) return false;
    const [path = "", fragment] = target.split("#");
    const address = decodeURI(new URL(path, `http://localhost${prefix}${page}.html`).pathname);
    if (!address.startsWith(prefix)) return true;
    const file = address.slice(prefix.length).replace(/(?<=^|\/)$/, "index.html");
    return (
      !existsSync(join(site, file)) ||
      (fragment && file.endsWith(".html") && !ids.get(file)?.has(decodeURIComponent(fragment)))
    );
  });
  expect(deadLinks).toEqual([]);
  expect(targets.length).toBeGreaterThan(pages.length * 10);
});

test("no link into the repository is dead", () => {
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  const trackedFiles = new Set(files.split("\n"));
  const folders = new Set(
    [...trackedFiles].flatMap((file) => file.split("/").map((_, index, parts) => parts.slice(0, index).join("/"))),
  );
  const deadLinks = targets.filter(({ target }) => {
    const [, path] =
      /^https:\/\/github\.com\/offers\/offers\/(?:blob|tree)\/(?:main|@offers\/[\w-]+@[\d.]+)\/([^#]*)/.exec(target) ??
      [];
    return path !== undefined && !trackedFiles.has(path) && !folders.has(path.replace(/\/$/, ""));
  });
  expect(deadLinks).toEqual([]);
});

test("nothing is loaded from other sites", () =>
  expect(targets.filter(({ attribute, target }) => attribute === "src" && isExternal(target))).toEqual([]));

test("each page is also available as Markdown, and llms.txt lists only existing pages", () => {
  expect(pages.filter((page) => !existsSync(join(site, `${page}.md`)))).toEqual([]);
  const listedPaths = findMarkdownLinks("llms.txt");
  expect(listedPaths.length).toBeGreaterThan(pages.length * 0.8);
  expect(listedPaths.filter((path) => !existsSync(join(site, path)))).toEqual([]);
});

test("llms-full.txt contains the guides and the references", () => {
  const text = readFileSync(join(site, "llms-full.txt"), "utf8");
  for (const title of ["Your first webhook", "CreateOffer", "Worker Offer Response", "Error codes", "@offers/client"])
    expect(text).toContain(`# ${title}`);
});

test("no link in the Markdown is dead", () => {
  const deadLinks = pages.flatMap((page) =>
    findMarkdownLinks(`${page}.md`)
      .filter((path) => !existsSync(join(site, path)))
      .map((path) => `${page}.md: ${path}`),
  );
  expect(deadLinks).toEqual([]);
});

/** Finds the paths of the pages to which a Markdown file links. */
function findMarkdownLinks(file: string): string[] {
  const text = readFileSync(join(site, file), "utf8").replace(/^```[\s\S]*?^```$/gm, "");
  const links = [...text.matchAll(/(?<!!\[[^\]]*)\]\(([^)#\s]+)/g)].map(([, path = ""]) => path);
  return links.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
}
