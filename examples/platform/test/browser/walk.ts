import type { Page } from "playwright-core";

/** The maximum number of visits to pages with the same pattern. It is above 1 because offers in different states have different pages. */
const maxVisitsPerPattern = 4;

/**
 * Visits every page that `page` links to, directly or indirectly, and calls `visit` on each. Visits only the first few of the pages that
 * differ only in an id, and only the first of the pages that differ only in the query.
 */
export async function walk(page: Page, visit: (path: string) => Promise<void>): Promise<void> {
  const visited = new Set<string>();
  const visitsPerPattern = new Map<string, number>();
  const queue = [toPath(page.url())];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const pattern = toPagePattern(path);
    const visits = visitsPerPattern.get(pattern) ?? 0;
    const maxVisits = path.includes("?") ? 1 : maxVisitsPerPattern;
    if (visited.has(path) || visits === maxVisits) continue;
    visited.add(path);
    visitsPerPattern.set(pattern, visits + 1);
    const response = await page.goto(path);
    if (response === null || !response.ok())
      throw new Error(`a link leads to ${path}, which has status ${response?.status()}`);
    await visit(path);
    const links = await page
      .locator("a[href]")
      .evaluateAll((anchors) => anchors.map((link) => (link as HTMLAnchorElement).href));
    for (const link of links) if (link.startsWith(new URL(page.url()).origin)) queue.push(toPath(link));
  }
}

const toPath = (url: string): string => {
  const { pathname, search } = new URL(url);
  return pathname + search;
};

/** Returns the pattern of a path, such as `/offers/ID?state` for `/offers/offer_1f…?state=dead`. */
export function toPagePattern(path: string): string {
  const { pathname, searchParams } = new URL(path, "http://localhost");
  const names = [...searchParams.keys()].sort().join("&");
  return pathname.replace(/(\w+_)?[\da-f-]{36}/g, "ID") + (names && `?${names}`);
}
