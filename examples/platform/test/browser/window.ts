import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";

/** A browser window with separate cookies. */
export interface Window {
  page: Page;
  context: BrowserContext;
  /** The page's console errors, script errors and Content-Security-Policy violations. */
  pageErrors: string[];
  /** Returns the serious and critical problems that axe-core finds on the current page. */
  findViolations(): Promise<string[]>;
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface AxeResults {
  violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
}

/** Opens a window. @param options Playwright's options, such as `javaScriptEnabled`, `viewport` and `colorScheme` */
export async function openWindow(browser: Browser, options: BrowserContextOptions = {}): Promise<Window> {
  const { javaScriptEnabled = true, ...contextOptions } = options;
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...contextOptions });
  const page = await context.newPage();
  // Even on a busy machine, a step takes this long only if something is broken.
  page.setDefaultTimeout(120_000);
  const pageErrors: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") pageErrors.push(message.text());
  });
  page.on("pageerror", (error) => void pageErrors.push(error.message));
  // Policy violations are reported even in windows without scripts.
  const devTools = await context.newCDPSession(page);
  devTools.on("Audits.issueAdded", ({ issue: { code, details } }) => {
    if (code === "ContentSecurityPolicyIssue")
      pageErrors.push(`CSP: ${JSON.stringify(details.contentSecurityPolicyIssueDetails)}`);
  });
  await devTools.send("Audits.enable");
  // Do not use Playwright's `javaScriptEnabled` option, because it cannot be changed later, and axe needs scripts.
  const setScriptsEnabled = (isEnabled: boolean) =>
    devTools.send("Emulation.setScriptExecutionDisabled", { value: !isEnabled });
  await setScriptsEnabled(javaScriptEnabled);

  return {
    page,
    context,
    pageErrors,
    async findViolations() {
      await setScriptsEnabled(true);
      // The page's policy does not restrict scripts that the developer tools run.
      await page.evaluate(axe);
      const { violations } = (await page.evaluate("axe.run()")) as AxeResults;
      await setScriptsEnabled(javaScriptEnabled);
      return violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(
          ({ id, nodes }) =>
            `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("; ")}`,
        );
    },
  };
}
