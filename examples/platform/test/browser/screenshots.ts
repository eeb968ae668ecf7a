// Saves screenshots of every page for a visual review, in light and dark mode and on a phone. Run it with
// `npm run check -- screenshots`.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { setup as writeTestSeed } from "../support/test-seed.ts";
import { openPagesFixture, phone, searchAllOrganisations } from "./pages-fixture.ts";
import { toPagePattern, walk } from "./walk.ts";
import type { Window } from "./window.ts";

const folder = join(import.meta.dirname, "..", "..", ".cache", "screenshots");

const variants: Record<string, BrowserContextOptions> = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  phone: { colorScheme: "light", ...phone },
  "phone-dark": { colorScheme: "dark", ...phone },
};

await writeTestSeed();
const fixture = await openPagesFixture({ retrySchedule: { delaysMs: [50], jitter: 0, maxRetryAfterMs: 1_000 } });
let screenshotCount = 0;
try {
  await fixture.createExamples();
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [variant, options] of Object.entries(variants)) {
    const portal = await fixture.openPortal(options);
    await captureAll(variant, "portal", portal, ["/sign-in", "/invitations/search", "/nowhere"]);
    const app = await fixture.openApp(options);
    await captureAll(variant, "app", app, ["/app/sign-in", "/app/nowhere"]);
  }
} finally {
  await fixture.close();
}
console.log(`${screenshotCount} screenshots in ${folder}`);

/** Saves screenshots of every linked page and of `otherPaths`. */
async function captureAll(
  variant: string,
  audience: string,
  { page, context }: Window,
  otherPaths: string[],
): Promise<void> {
  let pageNumber = 0;
  const capture = async (path: string): Promise<void> => {
    pageNumber += 1;
    screenshotCount += 1;
    const words = toPagePattern(path)
      .replace(/^\/(app\b)?/, "")
      .split(/\W+/);
    const name = [variant, audience, String(pageNumber).padStart(2, "0"), ...words].filter(Boolean).join("-");
    await captureWholePage(page, join(folder, `${name}.png`));
  };
  await walk(page, capture);
  for (const path of otherPaths) {
    // This page can be reached only through a form.
    await (path === "/invitations/search" ? searchAllOrganisations(page) : page.goto(path));
    await capture(path);
  }
  await context.close();
}

/** Saves a screenshot from a window as high as the page, so that sticky elements stay at its edges. */
async function captureWholePage(page: Page, path: string): Promise<void> {
  const { width, height } = page.viewportSize() ?? phone.viewport;
  const pageHeight = Math.max(height, await page.evaluate(() => document.documentElement.scrollHeight));
  await page.setViewportSize({ width, height: pageHeight });
  await page.screenshot({ path });
  await page.setViewportSize({ width, height });
}
