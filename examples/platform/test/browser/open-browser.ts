import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { type Browser, chromium, type LaunchOptions } from "playwright-core";
import { unpackChromium } from "./bundled-chromium.ts";

export interface OpenBrowser {
  browser: Browser;
  /** A label for the terminal, such as `Chromium 153.0.8010.0, from the npm package @sparticuz/chromium`. */
  label: string;
}

interface BrowserCandidate {
  source: string;
  findLaunchOptions: () => Promise<LaunchOptions>;
}

const candidates: readonly BrowserCandidate[] = [
  // Try the npm package first, because it is the same on every machine.
  {
    source: "the npm package @sparticuz/chromium",
    async findLaunchOptions() {
      const { executablePath, env } = await unpackChromium();
      return { executablePath, env: { ...process.env, ...env } };
    },
  },
  ...["chromium", "chromium-browser", "google-chrome"].map((name) => ({
    source: `the machine's ${name}`,
    findLaunchOptions: async () => ({ executablePath: await findOnPath(name) }),
  })),
];

/**
 * Opens a headless Chromium. Uses the Chromium from npm if it runs, otherwise a Chromium that is installed on the machine.
 *
 * @throws an error that explains why each Chromium failed to start, because browser tests are never skipped
 */
export async function openBrowser(): Promise<OpenBrowser> {
  const reasons: string[] = [];
  for (const { source, findLaunchOptions } of candidates)
    try {
      const browser = await chromium.launch(await findLaunchOptions());
      return { browser, label: `Chromium ${browser.version()}, from ${source}` };
    } catch (error) {
      reasons.push(`${source}: ${(error as Error).message.split("\n", 1)[0]}`);
    }
  throw new Error(
    `no Chromium starts on this machine; install one with: apt-get install chromium\n${reasons.join("\n")}`,
  );
}

async function findOnPath(name: string): Promise<string> {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const path = join(folder, name);
    const isExecutable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isExecutable) return path;
  }
  throw new Error("not found on the PATH");
}
