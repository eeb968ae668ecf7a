import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "../processes/free-port.ts";
import { runCommand } from "../processes/run-command.ts";
import { startProcess } from "../processes/start-process.ts";

/**
 * The registry, verdaccio, and the npm that publishes to it and installs from it. Node includes an older npm. Verdaccio depends on
 * node-fetch 2.6.7, which has a known vulnerability. The override is the newest version that verdaccio can `require`.
 */
const manifest = {
  private: true,
  dependencies: { npm: "12.2.2", verdaccio: "6.10.4" },
  overrides: { "node-fetch": "2.7.0" },
};
const cache = join(import.meta.dirname, "../../.cache/verdaccio-6.10.4-npm-12.2.2");

export interface Registry {
  address: string;
  /** The environment of a user who is signed in with npm 12, and installs only `@offers` packages from this registry. */
  env: Record<string, string | undefined>;
  stop(): Promise<void>;
}

/** Starts an empty npm registry on loopback. It serves only the scope `@offers`, and does not forward requests to other registries. */
export async function startRegistry(folder: string): Promise<Registry> {
  const bin = join(cache, "node_modules/verdaccio/bin/verdaccio");
  if (!existsSync(bin)) await installRegistry();
  await mkdir(folder);
  const address = `http://127.0.0.1:${await findFreePort()}`;
  const config = join(folder, "config.json");
  await writeFile(
    config,
    JSON.stringify({
      storage: join(folder, "storage"),
      auth: { htpasswd: { file: join(folder, "htpasswd") } },
      packages: { "@offers/*": { access: "$all", publish: "$authenticated" } },
      max_body_size: "50mb",
      web: { enable: false },
      log: { type: "stdout", level: "warn" },
    }),
  );
  const { ready, stop } = startProcess(process.execPath, [bin, "--config", config, "--listen", address], {
    ready: /(http address)/,
  });
  await ready;
  await waitUntilResponding(address);
  return { address, env: await signIn(address, folder), stop: async () => void (await stop("SIGKILL")) };
}

/** Waits at most 10 s for the registry to respond. */
async function waitUntilResponding(address: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const response = await fetch(`${address}/-/ping`).catch(() => undefined);
    if (response?.ok) return;
    await sleep(100);
  }
  throw new Error(`The registry at ${address} did not respond within 10 s.`);
}

async function installRegistry(): Promise<void> {
  await rm(cache, { recursive: true, force: true });
  await mkdir(cache, { recursive: true });
  await writeFile(join(cache, "package.json"), JSON.stringify(manifest));
  await runCommand("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: cache });
}

/** Creates a user, and an npmrc with the user's token. @returns the environment for npm */
async function signIn(address: string, folder: string): Promise<Registry["env"]> {
  const response = await fetch(`${address}/-/user/org.couchdb.user:rehearsal`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "rehearsal", password: crypto.randomUUID() }),
  });
  const { token } = (await response.json()) as { token: string };
  const { NPM_CONFIG_USERCONFIG: upperCaseNpmrc, npm_config_userconfig: lowerCaseNpmrc, ...env } = process.env;
  const settings = await readFile(lowerCaseNpmrc ?? upperCaseNpmrc ?? join(homedir(), ".npmrc"), "utf8").catch(
    () => "",
  );
  const npmrc = join(folder, "npmrc");
  const urlWithoutScheme = address.replace("http:", "");
  await writeFile(npmrc, `${settings}\n@offers:registry=${address}/\n${urlWithoutScheme}/:_authToken=${token}\n`);
  const path = [join(cache, "node_modules/.bin"), env.PATH].join(delimiter);
  return { ...env, PATH: path, NPM_CONFIG_USERCONFIG: npmrc, npm_config_userconfig: npmrc };
}
