import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readDocument } from "../guides/read-document.ts";
import { freePort } from "../processes/free-port.ts";
import { startProcess } from "../processes/start-process.ts";
import { readerEnvironment } from "./reader-environment.ts";

const root = resolve(import.meta.dirname, "../..");

/**
 * The two commands of docs/guides/without-a-clone.md, in an empty folder that has only the guide's receiver.
 *
 * @param tarball in place of the package's name
 */
export async function playGuide(tarball: string, node: string): Promise<{ seconds: number; received: string[] }> {
  const receiver = readDocument(root, "docs/guides/without-a-clone.md").find(({ saveAs }) => saveAs === "receiver.mjs");
  if (receiver === undefined) throw new Error("the guide has no receiver");
  const folder = await mkdtemp(join(tmpdir(), "offers-two-commands-"));
  const [port, own] = [await freePort(), await freePort()];
  const home = join(folder, "home");
  await mkdir(home);
  await writeFile(join(folder, "receiver.mjs"), receiver.code.replaceAll("3001", String(own)));
  const env = readerEnvironment(home, node);
  const begun = performance.now();
  const ready = /^receiver (listening)/;
  const first = startProcess(node, ["receiver.mjs"], { cwd: folder, env, ready });
  const options = ["--port", String(port), "--webhooks-to", `http://localhost:${own}/offers`, "--example"];
  // A group of its own, since npx passes no SIGKILL on.
  const second = startProcess("npx", ["--yes", "-p", tarball, "offers-sandbox", ...options], {
    cwd: folder,
    env,
    detached: true,
  });
  try {
    await second.ready;
    while (first.lines.length < 3 && performance.now() - begun < 120_000) await sleep(20);
    return { seconds: (performance.now() - begun) / 1_000, received: first.lines.slice(1).sort() };
  } finally {
    const { pid, exitCode } = second.child;
    if (pid !== undefined && exitCode === null) process.kill(-pid, "SIGKILL");
    await first.stop();
    await rm(folder, { recursive: true, maxRetries: 5, retryDelay: 200 });
  }
}
