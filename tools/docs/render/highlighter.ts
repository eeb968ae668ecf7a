import { fromHighlighter } from "@shikijs/markdown-it/core";
import type { MarkdownIt } from "markdown-it";
import { createHighlighter } from "shiki";

const languages = ["ts", "js", "json", "sh", "yaml", "python", "java", "perl", "nginx", "sql", "http"];

/** A plugin that colours code when the site is built, for both colour schemes at once. */
export async function highlighting(): Promise<(markdown: MarkdownIt) => void> {
  const highlighter = await createHighlighter({
    themes: ["github-light-high-contrast", "github-dark-high-contrast"],
    langs: languages,
  });
  const plugin = fromHighlighter(highlighter, {
    themes: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    defaultColor: "light-dark()",
  });
  return (markdown) => void markdown.use(plugin as (markdown: MarkdownIt) => void);
}
