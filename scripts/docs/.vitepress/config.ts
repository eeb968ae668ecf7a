// The documentation site: which files are its pages, and its navigation. search.ts configures the search.
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { dirname as getFolder, join as joinPath, relative } from "node:path/posix";
import { slug } from "github-slugger";
import { type DefaultTheme, defineConfig, type HeadConfig, type MarkdownOptions } from "vitepress";
import { tabsMarkdownPlugin } from "vitepress-plugin-tabs";
import { mapReferenceAnchors } from "../pages/render-http-reference.ts";
import { accessibleSearchBox, search } from "./search.ts";

const root = join(import.meta.dirname, "../../..");
const repository = "https://github.com/offers/offers";
const summary =
  "npm packages that connect TypeScript to a staffing service: a client for its offers API and a kit that receives its webhooks.";

/** Maps a Markdown file in the repository to its page: `packages/client/README.md` becomes `client/index.md`. */
const toPagePath = (source: string): string =>
  source
    .replace("docs/home.md", "docs/index.md")
    .replace(/^examples\/platform\//, "sandbox/")
    .replace(/^(?:docs|packages)\//, "")
    .replace(/^(reference\/[^/]+\/)@offers\/[^/]+\//, "$1")
    .replace("README.md", "index.md")
    .replace("OPERATING.md", "operating.md");

const isPage = (source: string): boolean =>
  /^(?:docs\/.*|packages\/\w[\w-]*\/(?:README|CHANGELOG)|examples\/platform\/(?:README|OPERATING))\.md$/.test(source);

const pagesByAnchor = mapReferenceAnchors(root);

/** Finds the generated page that shows what a link refers to. Returns undefined if the site generates no page from the file. */
function findGeneratedPage(file: string, fragment: string | undefined, text: string): string | undefined {
  if (file === "docs/http-reference.md") return pagesByAnchor.get(fragment ?? "");
  if (file === "spec/decisions.yaml")
    return /^D-\d+$/.test(text) ? `/decisions.md#${text.toLowerCase()}` : "/decisions.md";
  return file === "spec/glossary.yaml" ? "/glossary.md" : undefined;
}

/**
 * Resolves a link in a Markdown file. A link to a file becomes the absolute path of its page or, if it has none, the URL of the file in the
 * repository. Any other link stays the same.
 *
 * @param text the link text; `D-52` leads to that decision
 * @throws if the file does not exist
 */
function resolveLink(source: string, target: string, text: string): string {
  const [path = "", fragment] = target.split("#");
  const hash = fragment === undefined ? "" : `#${fragment}`;
  const [, repositoryPath] = /^https:\/\/github\.com\/offers\/offers\/(?:blob|tree)\/main\/(.*)/.exec(path) ?? [];
  // The site splits the HTTP reference into pages, so a link within it may lead to a different page.
  const staysOnPage = path === "" && source !== "docs/http-reference.md";
  const isExternal = repositoryPath === undefined && /^[a-z]+:/.test(path);
  if (staysOnPage || isExternal) return target;
  const file = path === "" ? source : (repositoryPath ?? joinPath(getFolder(source), decodeURI(path)));
  const page = findGeneratedPage(file, fragment, text);
  if (page !== undefined) return page;
  if (!existsSync(join(root, file))) throw new Error(`${source} links to ${target}, which does not exist`);
  if (isPage(file)) return `/${toPagePath(file)}${hash}`;
  return `${repository}/${/\.\w+$/.test(file) ? "blob" : "tree"}/main/${file.replace(/\/$/, "")}${hash}`;
}

/** Reads the modules of a package and their exports. Leaves out the groups that TypeDoc creates, such as "Classes". */
const readReferenceSidebar = (folder: string): DefaultTheme.SidebarItem[] => {
  const file = join(root, "docs/reference", folder, "typedoc-sidebar.json");
  const modules: DefaultTheme.SidebarItem[] = JSON.parse(
    // The title above the modules already shows the scope, which would make some names wider than the sidebar.
    readFileSync(file, "utf8").replaceAll(/\/@offers\/[\w-]+(?=\/)|(?<="text":\s*")@offers\//g, ""),
  );
  return modules.map((module) => {
    const items = module.items?.flatMap((group) => group.items ?? []) ?? [];
    // The errors come last, because readers reach them from their codes.
    const isError = ({ text = "" }: DefaultTheme.SidebarItem) => text.endsWith("Error");
    return { ...module, items: [...items.filter((item) => !isError(item)), ...items.filter(isError)] };
  });
};

const modules = ["client", "webhook-kit"].map(readReferenceSidebar);

/** The page of each exported name, except names that several modules export. */
const pageByExport = new Map<string, string>();
const exportItems = modules.flat().flatMap(({ items = [] }) => items);
for (const { text = "", link = "" } of exportItems)
  if (exportItems.filter((item) => item.text === text).length === 1) pageByExport.set(text, link);

type Token = Parameters<Parameters<NonNullable<MarkdownOptions["config"]>>[0]["renderer"]["render"]>[0][number];

/** Adds the column name to each cell. On a phone, where a row is a block, the style sheet shows the name before the cell. */
function labelCells(tokens: readonly Token[]): void {
  let labels: string[] = [];
  let column = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.type === "table_open") labels = [];
    if (token.type === "tr_open") column = 0;
    if (token.type === "th_open") labels.push(tokens[index + 1]?.content ?? "");
    if (token.type === "td_open") token.attrSet("data-label", labels[column++] ?? "");
  }
}

/** Resolves the target of each link in a paragraph or heading. */
function resolveTargets(tokens: readonly Token[], source: string): void {
  for (const [index, token] of tokens.entries()) {
    if (token.type !== "link_open") continue;
    const text = tokens[index + 1]?.content ?? "";
    token.attrSet("href", resolveLink(source, token.attrGet("href") ?? "", text));
  }
}

/** Links each exported name that is not part of a link, such as `webhookRouter`, to its reference. */
function linkExports(tokens: readonly Token[], createToken: (type: string, nesting: 1 | -1) => Token): Token[] {
  let isInLink = false;
  return tokens.flatMap((token) => {
    if (token.type === "link_open") isInLink = true;
    if (token.type === "link_close") isInLink = false;
    if (token.type !== "code_inline" || isInLink) return [token];
    const page = pageByExport.get(token.content.replace(/\(.*\)$/, ""));
    if (page === undefined) return [token];
    const openingToken = createToken("link_open", 1);
    openingToken.attrSet("href", page);
    return [openingToken, token, createToken("link_close", -1)];
  });
}

const markdown: MarkdownOptions = {
  theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
  // The same heading ids as on GitHub, so that a link works on both sites.
  anchor: { slugify: slug },
  config(md) {
    md.use(tabsMarkdownPlugin);
    md.core.ruler.push("labelled-cells", ({ tokens }) => labelCells(tokens));
    md.core.ruler.push("repository-links", ({ tokens, env, Token }) => {
      const file: string | undefined = env.realPath ?? env.path;
      // A title is rendered without a file.
      if (file === undefined) return;
      const source = relative(root, file);
      const createToken = (type: string, nesting: 1 | -1) => new Token(type, "a", nesting);
      for (const [index, token] of tokens.entries()) {
        if (token.children === null) continue;
        resolveTargets(token.children, source);
        const isHeading = tokens[index - 1]?.type === "heading_open";
        if (!isHeading && !source.startsWith("docs/reference/"))
          token.children = linkExports(token.children, createToken);
      }
    });
  },
};

const toSidebarItems = (folder: string, pages: Record<string, string>): DefaultTheme.SidebarItem[] =>
  Object.entries(pages).map(([text, name]) => ({ text, link: `${folder}/${name}` }));

const guides: DefaultTheme.SidebarItem[] = [
  {
    text: "Start",
    items: [
      { text: "Overview", link: "/" },
      ...toSidebarItems("/guides", {
        "Install the packages": "install",
        "Your first offer": "first-offer",
        "Your first webhook": "first-webhook",
        "Without a clone": "without-a-clone",
        "Manual walkthrough": "walkthrough",
      }),
    ],
  },
  {
    text: "Offers",
    items: toSidebarItems("/guides", {
      "List or change offers": "offers",
      "API keys": "api-keys",
      "CORS and browsers": "browsers",
    }),
  },
  {
    text: "Webhooks",
    items: toSidebarItems("/guides", {
      "Delivery semantics": "delivery",
      "Catch up after an outage": "after-an-outage",
      "Several tenants": "multi-tenant",
      "Contact suggestions and invitations": "contact-suggestions",
      "Process in a worker": "workers",
      "Verify in other languages": "other-languages",
      "Move from a hand-written receiver": "migrating",
    }),
  },
  {
    text: "Frameworks",
    items: toSidebarItems("/guides/frameworks", {
      "All frameworks": "",
      Express: "express",
      Fastify: "fastify",
      Hono: "hono",
      Koa: "koa",
      "Next.js": "next",
      NestJS: "nest",
      SvelteKit: "sveltekit",
      "node:http": "node-http",
      "Cloudflare Workers": "cloudflare-workers",
      "AWS Lambda": "aws-lambda",
      "Google Cloud": "google-cloud",
    }),
  },
  {
    text: "Develop and test",
    items: toSidebarItems("/guides", {
      "Test your integration": "testing",
      "On your own machine": "tunnels",
      "TypeScript settings": "typescript",
    }),
  },
  {
    text: "Production",
    items: toSidebarItems("/guides", {
      "Going to production": "production",
      "Proxies and containers": "deployment",
      "Trace an offer": "tracing",
      "Personal data": "personal-data",
      "Scale the platform": "scaling",
      "High availability": "high-availability",
    }),
  },
];

const operations = toSidebarItems("/operations", {
  CreateOffer: "create-offer",
  GetOffer: "get-offer",
  CompleteOffer: "complete-offer",
  WithdrawOffer: "withdraw-offer",
});

const feed = toSidebarItems("/operations", {
  ListEvents: "list-events",
  RedeliverEvent: "redeliver-event",
  RedeliverEvents: "redeliver-events",
});

const events: DefaultTheme.SidebarItem[] = [
  { text: "All events", link: "/events/" },
  {
    text: "Webhooks",
    items: toSidebarItems("/events", {
      "Worker Offer Response": "worker-offer-response",
      "Worker Added Contact": "worker-added-contact",
      "Contact Suggestions": "contact-suggestions",
      Test: "test",
      "Test authorisation": "test-auth",
      "Offer Event Deleted": "offer-event-deleted",
      "Timeline Changed": "timeline-changed",
    }),
  },
  {
    text: "Push notifications",
    items: toSidebarItems("/events", { Offer: "push-offer", Decision: "push-decision", Withdrawal: "push-withdrawal" }),
  },
];

const http: DefaultTheme.SidebarItem[] = [
  { text: "HTTP", items: [{ text: "HTTP reference", link: "/http-reference" }, ...operations] },
  { text: "Event feed", items: feed },
  ...events,
];

const sidebar: DefaultTheme.SidebarMulti = {
  "/reference/": [
    { text: "@offers/client", items: modules[0] ?? [] },
    { text: "@offers/webhook-kit", items: modules[1] ?? [] },
  ],
  "/http-reference": http,
  "/operations/": http,
  "/events/": http,
  "/": [
    ...guides,
    {
      text: "Packages",
      items: toSidebarItems("", {
        "@offers/client": "client/",
        "@offers/webhook-kit": "webhook-kit/",
        "@offers/cli": "cli/",
      }),
    },
    {
      text: "Reference",
      items: [
        { text: "HTTP reference", link: "/http-reference", collapsed: true, items: [...operations, ...feed] },
        { text: "Events", link: "/events/", collapsed: true, items: events.slice(1) },
        { text: "TypeScript reference", link: "/reference/client/" },
        { text: "Error codes", link: "/errors" },
      ],
    },
    { text: "Reference platform", items: toSidebarItems("/sandbox", { "Run it": "", "Operate it": "operating" }) },
    {
      text: "Project",
      items: toSidebarItems("", {
        Changelog: "changelog",
        Versioning: "versioning",
        "The contract": "contract",
        Decisions: "decisions",
        Glossary: "glossary",
        Benchmarks: "benchmarks",
      }),
    },
  ],
};

const { version } = JSON.parse(readFileSync(join(root, "packages/client/package.json"), "utf8")) as { version: string };

/** Returns at most 200 characters of the first paragraph of prose, as plain text. */
const extractFirstParagraph = (markdown: string): string => {
  const prose = markdown
    .replace(/^```[\s\S]*?^```$/gm, "")
    .split(/\n{2,}/)
    .find((paragraph) => /^[A-Z`*[]/.test(paragraph) && !paragraph.startsWith("Defined in"));
  return (prose ?? "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[`*\\]|<[^>]*>/g, "")
    .replace(/\s+/g, " ")
    .slice(0, 200);
};

/** Writes a page as Markdown next to its HTML, for programs to read. Removes the front matter and resolves the links. */
async function copyMarkdown(source: string, destination: string, base: string): Promise<void> {
  let isCode = false;
  const lines = readFileSync(join(root, source), "utf8")
    .replace(/^---\n[\s\S]*?\n---\n/, "")
    .split("\n")
    .map((line) => {
      if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
      if (isCode) return line;
      // Replace the target of each link, but not of images.
      return line.replace(/(?<=(?<!!\[[^\]]*)\]\()[^)\s]+(?=\))/g, (target, offset: number) => {
        const [, text = ""] = /\[([^[\]]*)\]\($/.exec(line.slice(0, offset)) ?? [];
        const resolved = resolveLink(source, target, text);
        return resolved.startsWith("/") ? base + resolved.slice(1) : resolved;
      });
    });
  await mkdir(dirname(destination), { recursive: true });
  await writeFile(destination, lines.join("\n").trimStart());
}

interface ListedPage {
  text: string;
  /** The path of its Markdown file: `guides/first-offer.md`. */
  path: string;
}

/** Lists the sections of the site with their pages. Each page is listed once, even if several sections contain it. */
function listSections(): { title: string; pages: ListedPage[] }[] {
  const listedPaths = new Set<string>();
  return [...guides, ...Object.values(sidebar).flat()]
    .map((group) => {
      const pages: ListedPage[] = [];
      for (const page of listPages([group])) {
        if (listedPaths.has(page.path)) continue;
        listedPaths.add(page.path);
        pages.push(page);
      }
      return { title: group.text ?? "", pages };
    })
    .filter(({ pages }) => pages.length > 0);
}

/** Flattens sidebar items into pages with the paths of their Markdown files. */
const listPages = (items: readonly DefaultTheme.SidebarItem[]): ListedPage[] =>
  items.flatMap(({ text = "", link, items: children = [] }) => {
    const path = link
      ?.slice(1)
      .replace(/(?<=^|\/)$/, "index")
      .replace(/(?:\.md)?$/, ".md");
    return [...(path === undefined ? [] : [{ text, path }]), ...listPages(children)];
  });

/** Renders llms.txt, which lists the pages for language models. @see https://llmstxt.org */
function renderLlms(base: string): string {
  const sections = listSections().map(({ title, pages }) =>
    [`## ${title}`, "", ...pages.map(({ text, path }) => `- [${text}](${base}${path})`)].join("\n"),
  );
  return `${["# Offers", `> ${summary}`, ...sections].join("\n\n")}\n`;
}

/** Joins all pages into one file for programs to read, except the pages about the project itself, which do not help its users. */
function renderLlmsFull(outDir: string): string {
  const sections = listSections().filter(({ title }) => title !== "Project");
  const pages = sections.flatMap((section) => section.pages);
  return pages.map(({ path }) => readFileSync(join(outDir, path), "utf8").trim()).join("\n\n---\n\n");
}

/** Without scripts, the sidebar is above the page, and buttons that would do nothing are hidden. */
const withoutScripts = `<style>
.VPLocalNav, .VPNavBar .content-body, .VPSidebar .caret, button { display: none !important }
.VPSidebar { position: static !important; opacity: 1 !important; transform: none !important; width: auto !important; max-width: none !important }
.VPSidebarItem.collapsed .items { display: block !important }
</style>`;

export default defineConfig({
  title: "Offers",
  description: summary,
  lang: "en",
  srcDir: root,
  outDir: join(root, "docs/site"),
  cacheDir: join(root, ".cache/vitepress"),
  srcExclude: [
    "*.md",
    "!(docs|packages|examples)/**",
    "docs/site/**",
    "docs/reference/*/index.md",
    "examples/!(platform)/**",
    "{packages,examples}/*/!(README|OPERATING|CHANGELOG).md",
    "{packages,examples}/*/*/**",
  ],
  rewrites: toPagePath,
  markdown,
  lastUpdated: false,
  vite: {
    plugins: [accessibleSearchBox],
    // Node resolves Vue from this folder, because it is not installed at the root of the repository, where the pages are.
    ssr: { external: ["vue", "vue/server-renderer"] },
  },
  themeConfig: {
    nav: [
      { text: "Guides", link: "/guides/first-offer", activeMatch: "^/guides/" },
      { text: "HTTP", link: "/http-reference", activeMatch: "^/(?:http-reference|operations/)" },
      { text: "Events", link: "/events/", activeMatch: "^/events/" },
      { text: "TypeScript", link: "/reference/client/", activeMatch: "^/reference/" },
      { text: "Errors", link: "/errors", activeMatch: "^/errors" },
      {
        text: version === "0.0.0" ? "not released" : `v${version}`,
        items: toSidebarItems("", { Changelog: "changelog", Versioning: "versioning" }),
      },
    ],
    sidebar,
    search,
    outline: { level: [2, 3], label: "On this page" },
    socialLinks: [{ icon: "github", link: repository }],
    docFooter: { prev: "Previous", next: "Next" },
    externalLinkIcon: true,
  },
  transformPageData(page, { siteConfig }) {
    const text = readFileSync(join(siteConfig.srcDir, page.filePath), "utf8");
    const description = page.description || extractFirstParagraph(text) || `${page.title} in the TypeScript reference`;
    // VitePress writes the description between quotes without escaping it.
    page.description = description.replaceAll('"', "'");
  },
  transformHead: ({ page, pageData: { frontmatter }, siteData: { base } }) => [
    ["link", { rel: "alternate", type: "text/markdown", href: `${base}${toPagePath(page)}` }],
    ...(frontmatter.keywords
      ? [["meta", { name: "keywords", content: frontmatter.keywords.join(", ") }] as HeadConfig]
      : []),
  ],
  head: [["noscript", {}, withoutScripts]],
  // The title of a group that cannot be collapsed is not interactive.
  transformHtml: (html) => html.replaceAll('<div class="item" role="button" tabindex="0"', '<div class="item"'),
  async buildEnd({ pages, outDir, site }) {
    await Promise.all(pages.map((source) => copyMarkdown(source, join(outDir, toPagePath(source)), site.base)));
    await writeFile(join(outDir, "llms.txt"), renderLlms(site.base));
    await writeFile(join(outDir, "llms-full.txt"), `${renderLlmsFull(outDir)}\n`);
  },
});
