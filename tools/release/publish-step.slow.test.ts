// The script of release.yml that publishes, on a registry that this test plays.
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "../processes/listen.ts";
import { runCommand } from "../processes/run-command.ts";
import { hashesOf, killedAfterFirst, runPublishStep } from "./publish-step.ts";
import { readPublishPlan } from "./tarballs.ts";

const names = ["client", "cli"];

/** Packed releases, and the environment of a person whose registry responds to every PUT with this status. */
async function release({ putStatus = 201, env: extra = {} }: { putStatus?: number; env?: Record<string, string> }) {
  const scratch = await mkdtemp(join(tmpdir(), "offers-publish-step-"));
  onTestFinished(() => rm(scratch, { recursive: true, maxRetries: 5, retryDelay: 200 }));
  const published: string[] = [];
  const registry: RequestListener = (request, response) => {
    const isPut = request.method === "PUT";
    if (isPut && putStatus === 201) published.push(decodeURIComponent(request.url ?? ""));
    request.resume();
    response.writeHead(isPut ? putStatus : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(isPut && putStatus === 201 ? {} : { error: isPut ? "refused here" : "not found" }));
  };
  const { address, close } = await listen(registry);
  onTestFinished(close);

  const packed = join(scratch, "packed");
  await mkdir(join(packed, "packages"), { recursive: true });
  const plan = await Promise.all(names.map((name) => packOne(scratch, packed, name)));
  await writeFile(join(packed, "publish-plan.json"), JSON.stringify({ plan: [plan] }));
  const npmrc = `@offers:registry=${address}/\n${address.replace("http:", "")}/:_authToken=test\n`;
  await writeFile(join(scratch, "npmrc"), npmrc);
  const { NPM_CONFIG_USERCONFIG: _, ...inherited } = process.env;
  const settings = { npm_config_userconfig: join(scratch, "npmrc"), npm_config_cache: join(scratch, "cache") };
  const env = { ...inherited, ...settings, ...extra };
  return { scratch, packed, hashes: await hashesOf(packed, await readPublishPlan(packed)), env, published };
}

async function packOne(scratch: string, packed: string, name: string): Promise<object> {
  const folder = join(scratch, name, "package");
  await mkdir(folder, { recursive: true });
  const manifest = { name: `@offers/${name}`, version: "0.1.0" };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  const path = `packages/offers-${name}.tgz`;
  await runCommand("tar", ["-czf", join(packed, path), "-C", join(scratch, name), "package"], { cwd: scratch });
  const integrity = `sha256-${createHash("sha256")
    .update(await readFile(join(packed, path)))
    .digest("base64")}`;
  return { kind: "publish", ...manifest, tag: "latest", tarball: { path, integrity } };
}

test.each(["notice", "silent"])(
  "publishes versions that the registry does not know, with npm's log level %s",
  async (level) => {
    const { packed, hashes, env, published } = await release({ env: { npm_config_loglevel: level } });
    const { code, cause, published: ids } = await runPublishStep(packed, hashes, env);
    expect(code, cause).toBe(0);
    expect(ids).toEqual(["@offers/client@0.1.0", "@offers/cli@0.1.0"]);
    expect(published).toEqual(["/@offers/client", "/@offers/cli"]);
  },
);

test("is killed after it has published the first package", async () => {
  const { scratch, packed, hashes, env, published } = await release({});
  const killing = await killedAfterFirst(join(scratch, "killing-npm"), env);
  const { code, cause } = await runPublishStep(packed, hashes, killing);
  expect(code, cause).toBeNull();
  expect(published).toEqual(["/@offers/client"]);
});

test("names the registry's error as the cause, and not the last line that was printed", async () => {
  const { packed, hashes, env } = await release({ putStatus: 403 });
  const { code, cause } = await runPublishStep(packed, hashes, env);
  expect(code).toBe(1);
  expect(cause.split("\n")[0]).toMatch(/^exited with 1: npm error 403 .*refused here/);
});

test("names the file whose hash differs as the cause", async () => {
  const { packed, hashes, env } = await release({});
  const { cause } = await runPublishStep(
    packed,
    hashes.replace(/^../, (start) => (start === "00" ? "11" : "00")),
    env,
  );
  expect(cause.split("\n")[0]).toBe("exited with 1: publish-plan.json: FAILED");
});
