// Tests the command as npm delivers it: packed, unpacked outside the workspace, and started there.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { secrets, startReceiver } from "../../../packages/cli/test/support/start-receiver.ts";
import { startProcess } from "../../processes/start-process.ts";
import { pack } from "./packages.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
let folder: string;
let tarball: string;
let bin: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "offers-packed-cli-"));
  tarball = await pack("cli", folder);
  const installed = join(folder, "node_modules/@offers/cli");
  await mkdir(installed, { recursive: true });
  await run("tar", ["-xzf", tarball, "--strip-components=1", "-C", installed]);
  // The only dependency of the command is linked instead of downloaded.
  await symlink(join(root, "packages/cli/node_modules/commander"), join(folder, "node_modules/commander"));
  bin = join(installed, "dist/offers.js");
});

afterAll(() => rm(folder, { recursive: true }));

test("the tarball passes publint", async () => {
  const { stdout } = await run("publint", ["run", "--strict", tarball], { cwd: root });
  expect(stdout).toContain("All good!");
});

test("the tarball contains only the command, the test vectors, the licence and a README, below the size limits", async () => {
  const { stdout } = await run("tar", ["-tvzf", tarball]);
  const files = stdout
    .trim()
    .split("\n")
    .map((line) => ({ path: line.split(/\s+/).at(-1) ?? "", size: Number(line.split(/\s+/)[2]) }));
  const paths = files.map(({ path }) => path.replace("package/", ""));
  expect(paths).toEqual(
    expect.arrayContaining(["LICENSE", "README.md", "package.json", "dist/offers.js", "dist/corpus/config.json"]),
  );
  expect(paths.filter((path) => !/^(dist\/|LICENSE$|README\.md$|package\.json$)/.test(path))).toEqual([]);
  // The test vectors account for most of the size. Raise these limits only deliberately.
  const sumSizes = (pattern: RegExp) =>
    files.filter(({ path }) => pattern.test(path)).reduce((sum, { size }) => sum + size, 0);
  expect(sumSizes(/\.js$/)).toBeLessThan(190_000);
  expect(sumSizes(/./)).toBeLessThan(900_000);
});

test("the installed command probes a receiver from outside the workspace", async () => {
  const receiver = await startReceiver("node", "timestampDigest");
  onTestFinished(async () => void (await receiver.stop()));
  const { stdout } = await run(process.execPath, [bin, "probe", receiver.url.href, "--skip", "timing"], {
    cwd: folder,
    env: { PATH: process.env.PATH, WEBHOOK_SECRET: secrets.timestampDigest },
  });
  expect(stdout).toMatch(/^No findings in \d+ cases/);
});

test("the command exits when SIGTERM ends the npx process that started it", async () => {
  await mkdir(join(folder, "node_modules/.bin"));
  await symlink(bin, join(folder, "node_modules/.bin/offers"));
  const { child, ready } = startProcess("npx", ["offers", "listen", "--port", "0"], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, WEBHOOK_SECRET: secrets.timestampDigest },
    ready: /^Listening on (http:\S+)\. /,
    // Start a process group, because npx does not forward SIGKILL.
    detached: true,
  });
  const address = await ready;
  child.kill("SIGTERM");
  await once(child, "exit");
  const isListening = () => fetch(`${address}/test`).then(Boolean, () => false);
  for (let polls = 0; polls < 100 && (await isListening()); polls += 1) await sleep(100);
  const hasSurvived = await isListening();
  if (hasSurvived && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  expect(hasSurvived).toBe(false);
});
