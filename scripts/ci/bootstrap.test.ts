// Runs bootstrap.mjs as if nothing were installed and the registry did not respond.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "../..");

test("bootstrap.mjs prints what it installs before it contacts the registry, and what to check if that fails", {
  timeout: 300_000,
}, async () => {
  const home = await mkdtemp(join(tmpdir(), "offers-bootstrap-"));
  onTestFinished(() => rm(home, { recursive: true, maxRetries: 5, retryDelay: 200 }));
  // Copy the files to a folder without installed dependencies.
  for (const path of ["scripts/bootstrap.mjs", "package.json", ".nvmrc"])
    await cp(join(root, path), join(home, "clone", path), { recursive: true });
  const observed: string[] = [];
  const registry = createServer((request) => {
    observed.push("requested");
    request.destroy();
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void registry.close());
  await once(registry, "listening");

  const child = spawn(process.execPath, [join(home, "clone/scripts/bootstrap.mjs"), "node", "-p", "1"], {
    env: {
      PATH: process.env.PATH,
      HOME: home,
      npm_config_fetch_retries: "0",
      npm_config_registry: `http://127.0.0.1:${(registry.address() as AddressInfo).port}`,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stderr.once("data", () => observed.push("printed"));
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  expect(observed.slice(0, 2)).toEqual(["printed", "requested"]);
  expect(stderr).toMatch(/^Installing pnpm [\d.]+\n/);
  expect(stderr).toMatch(
    /\nInstalling pnpm [\d.]+ failed\. Can this machine reach the npm registry\? `npm ping` checks it\.\n$/,
  );
  expect({ stdout, status }).toEqual({ stdout: "", status: 1 });
});
