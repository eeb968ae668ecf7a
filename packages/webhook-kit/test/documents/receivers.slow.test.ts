// Probes each receiver in the documents and docstrings unchanged, because readers copy them.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { findSnippets, type Snippet } from "../../../../scripts/snippets/read.ts";
import { probe } from "../../../cli/src/probe/probe.ts";
import { parseUrl } from "../../../cli/src/wire/receiver-url.ts";

const root = join(import.meta.dirname, "../../../..");
const secrets = {
  timestampDigest: "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52",
  standardWebhooks: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
};

const sources = execFileSync("git", ["ls-files", "*.md", "packages/webhook-kit/src/*.ts"], {
  cwd: root,
  encoding: "utf8",
})
  .trim()
  .split("\n");
const createsReceiver = /\b(webhook(Router|Listener|Handler|Function)|parseWebhook)\(/;
const isTest = /"node:test"|createTestService/;
/**
 * The snippets to probe, by code, because several pages show the same receiver. Skips the error page, which shows mistakes, and
 * tests, which check their own receiver.
 */
const receivers = new Map<string, Snippet>();
for (const source of sources) {
  if (source === "docs/errors.md") continue;
  for (const snippet of findSnippets(source, readFileSync(join(root, source), "utf8")))
    if (createsReceiver.test(snippet.code) && !isTest.test(snippet.code)) receivers.set(snippet.code, snippet);
}

test("the documents contain at least thirty different receivers", () =>
  expect(receivers.size).toBeGreaterThanOrEqual(30));

test.each([...receivers.values()])("the receiver in $source:$line has no findings", async ({ code }) => {
  const scheme = code.includes("standardWebhooks()") ? "standardWebhooks" : "timestampDigest";
  const secret = /\bsecret(?:: | = )"([^"]+)"/.exec(code)?.[1] ?? secrets[scheme];
  const baseUrl = await serve(code, secret);
  // Events are sent only if the snippet handles them, and does not need a service, a queue or a database.
  const allowEvents = /onWorkerOfferResponse|onEvent/.test(code) && !/OffersClient|declare |\bpg\b/.test(code);
  const { findings } = await probe({
    url: parseUrl(baseUrl),
    scheme,
    secret,
    allowEvents,
    // Skips the stalled body, which takes 10 seconds.
    only: [],
    skip: ["timing"],
  });
  const seriousFindings = findings.filter(({ severity }) => severity !== "difference");
  expect(seriousFindings.map((finding) => JSON.stringify(finding))).toEqual([]);
});

/** Runs a snippet. @returns its base URL */
async function serve(code: string, secret: string): Promise<string> {
  // The folder is inside the package, so that imports of the package itself and of the frameworks resolve.
  const folder = mkdtempSync(join(import.meta.dirname, "started-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "snippet.ts");
  writeFileSync(file, addExports(code));
  const secretNames = code.matchAll(/\b([A-Z]+_)+SECRET\b/g);
  const environment = {
    ...Object.fromEntries([...secretNames].map(([name]) => [name, secret])),
    WEBHOOK_SECRET: secret,
    OFFERS_API_KEY: "key",
  };
  const child = spawn(process.execPath, [join(import.meta.dirname, "serve-snippet.ts"), file], {
    env: { ...process.env, ...environment, OLD_WEBHOOK_SECRET: "the secret before it was rotated" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const origin = `http://127.0.0.1:${await readPort(child)}`;
  // Finds the path at which the snippet mounts its receiver.
  for (const path of ["", "/offers", "/webhooks", "/harbour/offers"])
    if ((await fetch(`${origin}${path}/test`)).status === 200) return origin + path;
  throw new Error("The receiver does not serve /test.");
}

/** Exports the receiver that a snippet creates but does not export. */
function addExports(code: string): string {
  const names = [...code.matchAll(/^const (app|webhooks|server|receive)\b/gm)].map(([, name]) => `export { ${name} };`);
  return [code.replace(/^webhookRouter\(/m, "export const webhooks = $&"), ...names].join("\n");
}

async function readPort(child: ChildProcess): Promise<string> {
  let errors = "";
  child.stderr?.on("data", (data) => {
    errors += data;
  });
  if (child.stdout)
    for await (const line of createInterface({ input: child.stdout })) {
      const port = /^listening (\d+)$/.exec(line)?.[1];
      if (port) {
        // Keeps reading, so that a full pipe does not block the child.
        child.stdout.resume();
        return port;
      }
    }
  throw new Error(`The snippet did not create a receiver. ${errors}`);
}
