import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";

/** A browser window with separate cookies. */
export interface Window {
  page: Page;
  context: BrowserContext;
  /** Errors from the console and from scripts, and violations of the Content-Security-Policy. */
  complaints: string[];
  /** Returns the problems with serious or critical impact that axe-core finds on the current page. */
  violations(): Promise<string[]>;
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface AxeResults {
  violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
}

/** Opens a window. @param options such as `javaScriptEnabled`, `viewport` and `colorScheme` */
export async function openWindow(browser: Browser, options: BrowserContextOptions = {}): Promise<Window> {
  const { javaScriptEnabled = true, ...others } = options;
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...others });
  const page = await context.newPage();
  // Only a defect takes this long, even on a busy machine.
  page.setDefaultTimeout(120_000);
  const complaints: string[] = [];
  page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())));
  page.on("pageerror", (error) => void complaints.push(error.message));
  // Policy violations are reported even in windows without scripts.
  const devTools = await context.newCDPSession(page);
  devTools.on("Audits.issueAdded", ({ issue: { code, details } }) => {
    if (code === "ContentSecurityPolicyIssue")
      complaints.push(`CSP: ${JSON.stringify(details.contentSecurityPolicyIssueDetails)}`);
  });
  await devTools.send("Audits.enable");
  // Do not use Playwright's option, which cannot be turned off again for axe.
  const setScripts = (isOn: boolean) => devTools.send("Emulation.setScriptExecutionDisabled", { value: !isOn });
  await setScripts(javaScriptEnabled);

  return {
    page,
    context,
    complaints,
    async violations() {
      // Allow scripts from here on, so that axe can run.
      await setScripts(true);
      // Use the developer tools, which the page's policy does not restrict.
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
