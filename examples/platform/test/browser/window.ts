import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";

/** A window with cookies of its own. */
export interface Window {
  page: Page;
  context: BrowserContext;
  /** What a developer would see in red: errors of the console and of scripts, and what the Content-Security-Policy refused. */
  complaints: string[];
  /** What axe-core finds wrong with the page as it stands, of serious or critical impact. */
  violations(): Promise<string[]>;
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface AxeResults {
  violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
}

/** @param options such as `javaScriptEnabled`, `viewport` and `colorScheme` */
export async function openWindow(browser: Browser, options: BrowserContextOptions = {}): Promise<Window> {
  const { javaScriptEnabled = true, ...others } = options;
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...others });
  const page = await context.newPage();
  // A busy machine takes its time; only a fault takes this long.
  page.setDefaultTimeout(120_000);
  const complaints: string[] = [];
  page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())));
  page.on("pageerror", (error) => void complaints.push(error.message));
  // Refusals are found where no script can run, too.
  const devTools = await context.newCDPSession(page);
  devTools.on("Audits.issueAdded", ({ issue: { code, details } }) => {
    if (code === "ContentSecurityPolicyIssue")
      complaints.push(`CSP: ${JSON.stringify(details.contentSecurityPolicyIssueDetails)}`);
  });
  await devTools.send("Audits.enable");
  // Not by Playwright's option: that one cannot be lifted for axe, which has to run in any case.
  const setScripts = (isOn: boolean) => devTools.send("Emulation.setScriptExecutionDisabled", { value: !isOn });
  await setScripts(javaScriptEnabled);

  return {
    page,
    context,
    complaints,
    async violations() {
      // The page's own scripts had their chance, or none.
      await setScripts(true);
      // Through the developer tools, past the policy of the page.
      await page.evaluate(axe);
      const { violations } = (await page.evaluate("axe.run()")) as AxeResults;
      await setScripts(javaScriptEnabled);
      return violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(
          ({ id, nodes }) =>
            `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("; ")}`,
        );
    },
  };
}
