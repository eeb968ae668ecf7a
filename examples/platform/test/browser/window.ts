import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";

/** A window with its own cookies. */
export interface Window {
  page: Page;
  context: BrowserContext;
  /** Errors of the console and of scripts, and violations of the Content-Security-Policy. */
  complaints: string[];
  /** Problems that axe-core finds in the current page, of serious or critical impact. */
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
  // Not Playwright's option, which cannot be lifted for axe.
  const setScripts = (isOn: boolean) => devTools.send("Emulation.setScriptExecutionDisabled", { value: !isOn });
  await setScripts(javaScriptEnabled);

  return {
    page,
    context,
    complaints,
    async violations() {
      // From here on, scripts may run, for axe.
      await setScripts(true);
      // Over the developer tools, which the page's policy does not restrict.
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
