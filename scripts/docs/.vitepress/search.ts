// Configures the search: how words are split and stemmed, which pages come first, and what a screen reader announces.
import type { DefaultTheme, UserConfig } from "vitepress";

/**
 * Returns the weight of a page in search results, so that guides come before tables of decisions. Runs in the browser, so it must not refer
 * to anything outside this function.
 */
const boostDocument = (id: string): number => {
  if (/(?:contract|decisions|glossary|benchmarks)\.html/.test(id)) return 0.3;
  if (id.includes("/errors.html")) return 0.8;
  return id.includes("/reference/") ? 0.6 : 1;
};

/** Splits a name such as `onWorkerOfferResponse` or `rate_limited` into words, in addition to the whole name. Runs in the browser too. */
const tokenize = (text: string): string[] =>
  text
    .split(/[^\p{L}\p{N}_.]+|\.(?=\s|$)/u)
    .filter(Boolean)
    .flatMap((word) => {
      const parts = word.split(/[_.]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u).filter(Boolean);
      return parts.length > 1 ? [word, ...parts] : [word];
    });

/**
 * Converts a word to lower case and removes the endings of plurals and verbs. Returns null for a word such as `the`, which the index
 * omits. Runs in the browser too.
 */
const processTerm = (term: string): string | null => {
  const lower = term.toLowerCase();
  if (
    /^(?:an?|and|are|as|at|be|by|can|do(?:es)?|for|from|have|how|i|if|in|is|it|its|me|my|of|on|or|our|should|that|the|there|this|to|us(?:e|ing)|want|we|what|when|where|which|why|with|you|your)$/.test(
      lower,
    )
  )
    return null;
  if (lower.length < 5) return lower.replace(/(?<=[^s])s$/, "");
  return lower
    .replace(/ies$/, "y")
    .replace(/(?:ations?|ating|ated|ates?|ings?|ed|es|(?<=[^su])s)$/, "")
    .replace(/(?<=.{3})e$/, "");
};

export const search: DefaultTheme.Config["search"] = {
  provider: "local",
  options: {
    detailedView: true,
    miniSearch: {
      options: { tokenize, processTerm },
      searchOptions: {
        boost: { title: 1.5, titles: 1, text: 1 },
        prefix: true,
        fuzzy: 0.15,
        // A page with the word itself comes before pages with a similar word.
        weights: { prefix: 0.2, fuzzy: 0.1 },
        boostDocument,
      },
    },
    // Renders a page for the search index. Repeats the keywords in its front matter three times, which makes them weigh more.
    _render(source, env, md) {
      // Leave out the errors on an operation page, because readers who search for an error want the error page.
      const text = source.replace(/^\*\*Examples of errors\*\*$[\s\S]*?^:::$/m, "").replace(/^## Errors$[\s\S]*/m, "");
      const html = md.render(text, env);
      const { description = "", keywords = [] } = env.frontmatter ?? {};
      const words = [description, ...keywords, ...keywords, ...keywords].join(", ");
      return html.replace("</h1>", `</h1><p>${md.utils.escapeHtml(words)}</p>`);
    },
  },
};

/**
 * Accessibility fixes for the search box of VitePress, as replacements in its template. The box is a button that contains buttons, and its
 * options contain links, so a screen reader may announce neither (ARIA 1.2, "children presentational"). The label of a link omits text that
 * the link shows (WCAG 2.5.3), and an element without a role must not have a label. The order matters, because a later replacement applies
 * to the result of the earlier ones.
 */
const corrections = {
  ":aria-owns=\"results?.length ? 'localsearch-list' : undefined\"": "",
  'role="button"': 'role="dialog" aria-modal="true"',
  'aria-expanded="true"': "",
  'aria-haspopup="listbox"': "",
  ":id=\"'localsearch-item-' + index\"": "",
  ":aria-selected=\"selectedIndex === index ? 'true' : 'false'\"": "",
  'role="option"': 'role="none"',
  "<kbd :aria-label": '<kbd role="img" :aria-label',
  ":aria-label=\"[...p.titles, p.title].join(' > ')\"":
    'role="option" :id="\'localsearch-item-\' + index" :aria-selected="selectedIndex === index"',
};

type Plugin = NonNullable<NonNullable<UserConfig["vite"]>["plugins"]>[number];

/**
 * Applies the corrections when Vite loads the search box.
 *
 * @throws if a new version of VitePress has changed the search box
 */
export const accessibleSearchBox: Plugin = {
  name: "accessible-search-box",
  enforce: "pre",
  transform(code, id) {
    if (!id.endsWith("/VPLocalSearchBox.vue")) return undefined;
    let template = code;
    for (const [original, replacement] of Object.entries(corrections)) {
      if (!template.includes(original)) throw new Error(`VitePress's search box does not contain ${original}`);
      template = template.replaceAll(original, replacement);
    }
    return template;
  },
};
