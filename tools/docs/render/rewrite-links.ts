import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path/posix";
import { type Page, relativePath } from "../pages/page.ts";

const repository = "https://github.com/offers/offers/blob/main/";
const tree = "https://github.com/offers/offers/tree/main/";

/** A link that leads nowhere. */
export class DeadLinkError extends Error {
  override readonly name = "DeadLinkError";
}

/** Resolves the links of a page to other pages, as `.md`, and to files of the repository. */
export class Links {
  readonly #root: string;
  readonly #pages: Map<string, Page>;

  constructor(root: string, pages: readonly Page[]) {
    this.#root = root;
    this.#pages = new Map(pages.map((page) => [page.source, page]));
  }

  /** The Markdown of a page, for its place in the site. */
  rewrite(page: Page): string {
    let isCode = false;
    return page.markdown
      .split("\n")
      .map((line) => {
        if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
        if (isCode) return line;
        return line
          .replace(/(\]\()([^)\s]+)(\))/g, (_, open, target, close) => `${open}${this.#resolve(page, target)}${close}`)
          .replace(/^(\[[^\]]+\]: )(\S+)/, (_, label, target) => `${label}${this.#resolve(page, target)}`);
      })
      .join("\n");
  }

  #resolve(page: Page, target: string): string {
    if (target.startsWith("#")) return target;
    const [address = "", fragment] = target.split("#");
    const hash = fragment === undefined ? "" : `#${fragment}`;
    const inRepository = [repository, tree].find((start) => address.startsWith(start));
    if (inRepository === undefined && /^[a-z]+:/.test(address)) return target;
    const source = inRepository
      ? address.slice(inRepository.length)
      : normalize(join(dirname(page.source), decodeURI(address)));
    const found = this.#pages.get(source);
    if (found) return `${relativePath(page.path, found.path)}.md${hash}`;
    if (source.endsWith(".svg") && source.startsWith("docs/"))
      return relativePath(page.path, source.slice("docs/".length));
    if (/\.(?:png|jpg)$/.test(source) && source.startsWith("docs/"))
      return relativePath(page.path, source.slice("docs/".length));
    const path = source.replace(/\/$/, "");
    if (page.kind === "reference" && inRepository) return target;
    if (existsSync(join(this.#root, path))) return `${/\.\w+$/.test(path) ? repository : tree}${path}${hash}`;
    throw new DeadLinkError(`${page.source} links to ${target}, which does not exist`);
  }
}
