// Follows the guide in a browser as a reader would, from an empty folder to a forged event that the receiver rejects. Saves screenshots to
// .cache/try-it.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openBrowser } from "../../../examples/platform/test/browser/open-browser.ts";
import { openWindow, type Window } from "../../../examples/platform/test/browser/window.ts";
import { readDocument } from "../../guides/read-document.ts";
import { findFreePort } from "../../processes/free-port.ts";
import { startProcess } from "../../processes/start-process.ts";
import { pack } from "../packages/packages.ts";
import { createReaderEnvironment } from "./installed-sandbox.ts";

const root = resolve(import.meta.dirname, "../../..");
const pictures = join(root, ".cache/try-it");

/** Starts the receiver from the guide in an otherwise empty folder. */
async function startReceiver(folder: string, env: Record<string, string>) {
  const receiver = readDocument(root, "docs/guides/without-a-clone.md").find(({ saveAs }) => saveAs === "receiver.mjs");
  if (receiver === undefined) throw new Error("the guide has no block to save as receiver.mjs");
  const port = await findFreePort();
  await writeFile(join(folder, "receiver.mjs"), receiver.code.replaceAll("3001", String(port)));
  const receiverProcess = startProcess(process.execPath, ["receiver.mjs"], {
    cwd: folder,
    env,
    ready: /^receiver (listening)/,
  });
  onTestFinished(async () => void (await receiverProcess.stop()));
  await receiverProcess.ready;
  return { address: `http://localhost:${port}/offers`, lines: receiverProcess.lines };
}

async function startSandbox(tarball: string, folder: string, env: Record<string, string>, webhooksTo: string) {
  const options = ["--port", String(await findFreePort()), "--webhooks-to", webhooksTo];
  // Start a process group, because npx does not forward SIGKILL.
  const sandbox = startProcess("npx", ["--yes", "-p", tarball, "offers-sandbox", ...options], {
    cwd: folder,
    env,
    detached: true,
  });
  onTestFinished(() => {
    const { pid, exitCode } = sandbox.child;
    if (pid !== undefined && exitCode === null) process.kill(-pid, "SIGKILL");
  });
  await sandbox.ready;
  return sandbox.lines;
}

async function signIn(page: Window["page"], name: string): Promise<void> {
  await page.locator("input[name=name]").fill(name);
  await page.locator("input[name=password]").fill("demo-password");
  await page.getByRole("button", { name: "Sign in" }).click();
}

test("a reader with an empty folder creates an offer, sees the response and rejects a forgery within 90 s in a browser", async () => {
  const folder = await mkdtemp(join(tmpdir(), "offers-try-it-"));
  onTestFinished(() => rm(folder, { recursive: true, maxRetries: 5, retryDelay: 200 }));
  const tarball = await pack("sandbox", folder);
  const empty = join(folder, "empty");
  const home = join(folder, "home");
  for (const path of [empty, home, pictures]) await mkdir(path, { recursive: true });
  const env = createReaderEnvironment(home, process.execPath);
  const { browser } = await openBrowser();
  onTestFinished(() => browser.close());
  const { page } = await openWindow(browser);
  let pictureCount = 0;
  const takePicture = (name: string) => page.screenshot({ path: join(pictures, `${++pictureCount}-${name}.png`) });

  const startedAt = performance.now();
  const receiver = await startReceiver(empty, env);
  const lines = await startSandbox(tarball, empty, env, receiver.address);
  await expect.poll(() => lines.join("\n"), { timeout: 30_000 }).toContain("webhooks are sent to");
  const consoleUrl = /Console +(\S+)/.exec(lines.join("\n"))?.[1] ?? "";
  const origin = dirname(consoleUrl);

  await page.goto(consoleUrl);
  await page
    .getByRole("button", { name: /Test Request.*post \/offer\)/ })
    .first()
    .click();
  await takePicture("console");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: /Send/ }).first().click();
  await dialog.getByText("201 Created").first().waitFor();
  await takePicture("offer-created");

  await page.goto(`${origin}/app`);
  await signIn(page, "worker_amal");
  await page
    .getByRole("link", { name: /Kitchen help on Friday/ })
    .first()
    .click();
  await page.getByRole("button", { name: "Apply" }).click();
  await expect.poll(() => receiver.lines.join("\n"), { timeout: 10_000 }).toMatch(/^worker_amal accepted offer_/m);
  await takePicture("worker-applied");

  await page.goto(`${origin}/company`);
  await signIn(page, "hana@harbour-hotels.example");
  await page.goto(`${origin}/deliveries`);
  await page.getByText("Acknowledged").first().waitFor();
  await takePicture("response-received");

  await page.getByRole("link", { name: "Company" }).click();
  await page.getByLabel("Sent", { exact: true }).selectOption("wrong-signature");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("Rejected with 401, as expected.").waitFor();
  await takePicture("forgery-rejected");
  const seconds = (performance.now() - startedAt) / 1_000;
  expect(receiver.lines).toHaveLength(2);
  console.log(`${seconds.toFixed(1)} s, ${pictureCount} pictures in ${pictures}`);
  expect(seconds).toBeLessThanOrEqual(90);
}, 240_000);
