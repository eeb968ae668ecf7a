import type { Page } from "playwright-core";

/** How many pages of a kind to visit, because offers in different states have different pages. */
const perKind = 4;

/**
 * Visits every page that the window's page links to, directly or indirectly, and calls `each` on it. If pages differ
 * only in an id, it visits the first few; if they differ only in the query, the first.
 */
export async function walk(page: Page, each: (path: string) => Promise<void>): Promise<void> {
  const seen = new Set<string>();
  const visitsOf = new Map<string, number>();
  const ahead = [pathOf(page.url())];
  for (let path = ahead.shift(); path !== undefined; path = ahead.shift()) {
    const kind = kindOf(path);
    const visits = visitsOf.get(kind) ?? 0;
    if (seen.has(path) || visits === (path.includes("?") ? 1 : perKind)) continue;
    seen.add(path);
    visitsOf.set(kind, visits + 1);
    const response = await page.goto(path);
    if (response === null || !response.ok()) throw new Error(`a link leads to ${path}, status ${response?.status()}`);
    await each(path);
    const links = await page
      .locator("a[href]")
      .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
    for (const link of links) if (link.startsWith(new URL(page.url()).origin)) ahead.push(pathOf(link));
  }
}

const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url);
  return pathname + search;
};

/** Returns the kind of a page: for `/offers/offer_1f…?state=dead`, it is `/offers/ID?state`. */
export function kindOf(path: string): string {
  const { pathname, searchParams } = new URL(path, "http://localhost");
  const names = [...searchParams.keys()].sort().join("&");
  return pathname.replace(/(\w+_)?[\da-f-]{36}/g, "ID") + (names && `?${names}`);
}
