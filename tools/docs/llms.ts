import type { NavigationSection } from "./pages/navigation.ts";
import type { Module } from "./render/layout.ts";

/**
 * The list of pages for language models.
 *
 * @see https://llmstxt.org
 */
export function printLlms(navigation: readonly NavigationSection[], modules: readonly Module[]): string {
  const link = ({ title, path, description }: { title: string; path: string; description: string }) =>
    `- [${title}](${path}.md): ${description}`;
  return [
    "# Offers",
    "> npm packages that connect TypeScript to a staffing service: `@offers/client` calls its offers API, `@offers/webhook-kit` receives its webhooks. A reference platform runs locally.",
    ...navigation.map(({ title, pages }) => `## ${title}\n\n${pages.map(link).join("\n")}`),
    `## Modules\n\n${modules.map(({ page }) => link(page)).join("\n")}`,
    "",
  ].join("\n\n");
}
