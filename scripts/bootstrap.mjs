// Runs a command with the correct Node, pnpm and all dependencies, on a machine that has only Node 20 and npm:
//   node scripts/bootstrap.mjs [--journey | --all] [--build] command [arguments…]
// --build builds the packages. --journey installs only the dependencies of the build and of npm start. --all also installs the libraries
// that bench/ compares and the tools that tests/interoperability/ runs.
// Uses the running Node if it is new enough for the tools, and a pinned version from npm if it is not. Installs and builds only what has
// changed since the last run. This file is plain JavaScript without dependencies, because it installs the dependencies.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const pinnedNode = `node@${readFileSync(join(root, ".nvmrc"), "utf8").trim()}`;
const { packageManager: pinnedPnpm } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Whether vitest, tsup, undici and type stripping all support this version: `^22.19 || ^24.11 || >=26`. */
const isNewEnough = ([major, minor]) => (major === 22 && minor >= 19) || (major === 24 && minor >= 11) || major >= 26;

/** The environment of every command. It makes npm give up sooner. By default, npm tries for more than a minute to reach a registry. */
const env = {
  npm_config_fetch_retry_mintimeout: "1000",
  npm_config_fetch_retry_maxtimeout: "5000",
  npm_config_fetch_timeout: "30000",
  npm_config_update_notifier: "false",
  ...process.env,
};

/**
 * Runs a command until it exits, and forwards signals to it. If the command fails, this process exits with the same status. A step that is
 * not empty is printed on standard error, because standard output is reserved for the command.
 *
 * @returns the output of the command if `stdout` is `pipe`, otherwise undefined
 */
const run = async (step, command, args, stdout = "inherit") => {
  if (step) console.error(step);
  const child = spawn(command, args, { cwd: root, stdio: ["inherit", stdout, "inherit"], env });
  const output = child.stdout && text(child.stdout);
  const forward = (signal) => child.kill(signal);
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, forward);
  // npm does not forward SIGTERM, so stop the command when the parent process, npm, has exited.
  const parentId = process.ppid;
  const parentCheck = setInterval(() => {
    if (process.ppid !== parentId) forward("SIGTERM");
  }, 500);
  const [status] = await once(child, "close");
  clearInterval(parentCheck);
  for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, forward);
  if (status !== 0 && step.startsWith("Installing"))
    console.error(`${step} failed. Can this machine reach the npm registry? \`npm ping\` checks it.`);
  if (status !== 0) process.exit(status ?? 1);
  return output;
};

/** The workspace packages whose dependencies, without devDependencies, are enough for building and npm start. */
const journeyFilters = ["offers", "./packages/*", "@offers/sandbox", "@offers-examples/*"];

/** Returns the arguments with which pnpm installs the dependencies that these flags select. */
const getInstallArgs = (flags) => {
  const toFilters = (names) => names.flatMap((name) => ["--filter", name]);
  if (flags.includes("--all")) return ["install"];
  // If vitest is installed, so are the other dependencies, and installing only those for --journey would remove them.
  if (flags.includes("--journey") && !existsSync(join(root, "node_modules", "vitest")))
    // Skip the check of the age of every locked version, because it downloads a lot of metadata. All other installations do this check.
    return [...toFilters(journeyFilters), "install", "--prod", "--config.minimumReleaseAge=0"];
  return [...toFilters(["!@offers/bench", "!@offers-tests/interoperability"]), "install"];
};

/** Returns options that select the store to which node_modules links. pnpm rejects any other store, such as the one of a different HOME. */
const getStoreOptions = () => {
  const file = join(root, "node_modules", ".modules.yaml");
  if (!existsSync(file)) return [];
  const { storeDir } = JSON.parse(readFileSync(file, "utf8"));
  // pnpm appends the version of its store format.
  return existsSync(storeDir) ? [`--store-dir=${dirname(storeDir)}`] : [];
};

/** The file that records what the last run installed and built, so that this run installs and builds only what has changed. */
const stateFile = join(root, "node_modules", ".offers-bootstrap.json");
const state = existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, "utf8")) : { built: {} };
const saveState = (changes) => writeFileSync(stateFile, JSON.stringify(Object.assign(state, changes)));

/** Hashes every file that determines what is installed. */
function hashManifests() {
  const folders = ["packages", "examples", "scripts", "tests"].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => join(parent, name)),
  );
  const manifests = [".", "bench", ...folders].map((folder) => join(folder, "package.json"));
  const hash = createHash("sha256");
  for (const file of [".nvmrc", "pnpm-lock.yaml", "pnpm-workspace.yaml", ...manifests].map((name) => join(root, name)))
    if (existsSync(file)) hash.update(readFileSync(file));
  return hash.digest("hex");
}

/** The packages to build, each with the folders outside the package that are bundled into it. */
const packages = {
  client: ["packages/contract/src"],
  "webhook-kit": ["packages/contract/src"],
  cli: ["packages/contract/src", "spec/corpus"],
};

/**
 * Whether a file in the folder has changed since this time, in milliseconds. Markdown files and the folders `dist`, `node_modules` and
 * `test` do not count.
 */
const hasChangedSince = (time, folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).some((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return !/^(dist|node_modules|test)$/.test(entry.name) && hasChangedSince(time, path);
    return !path.endsWith(".md") && statSync(join(root, path)).mtimeMs > time;
  });

/** Builds each package if its sources have changed since its last build. */
async function build() {
  for (const [name, bundledFolders] of Object.entries(packages)) {
    const folder = join("packages", name);
    const builtAt = existsSync(join(root, folder, "dist")) ? (state.built[name] ?? 0) : 0;
    if (![folder, ...bundledFolders].some((source) => hasChangedSince(builtAt, source))) continue;
    // Record the start of the build, so that a file that changes during the build is built again by the next run.
    const startedAt = Date.now();
    // Without these options, pnpm would first check the installation and the age of every version.
    const options = ["--config.verifyDepsBeforeRun=false", "--reporter-hide-prefix", "--silent"];
    await run(`Building @offers/${name}`, "pnpm", [...options, "--filter", `./${folder}`, "run", "build"]);
    saveState({ built: { ...state.built, [name]: startedAt } });
  }
}

const args = process.argv.slice(2);
const flags = [];
while (args[0]?.startsWith("--")) flags.push(args.shift());

/** The flag that selects the dependencies to install. */
const selection = ["--all", "--journey"].find((flag) => flags.includes(flag)) ?? "--default";
// Every selection contains the dependencies of npm start. All selections except --journey contain those of the tests.
const isInstalled =
  state.selection === selection ||
  selection === "--journey" ||
  (selection === "--default" && state.selection !== "--journey");
const isNodeNewEnough = isNewEnough(process.versions.node.split(".").map(Number));
const hasTools = ["pnpm", ...(isNodeNewEnough ? [] : ["node"])].every((name) =>
  existsSync(join(state.tools ?? "", name)),
);

if (hasTools && isInstalled && state.manifests === hashManifests()) {
  env.PATH = [state.tools, env.PATH].join(delimiter);
} else {
  const pinnedTools = isNodeNewEnough ? [pinnedPnpm] : [pinnedNode, pinnedPnpm];
  const step = `Installing ${pinnedTools.join(" and ").replaceAll("@", " ")}`;
  const packageOptions = pinnedTools.flatMap((tool) => ["-p", tool]);
  env.PATH = (await run(step, "npx", ["--yes", ...packageOptions, "-c", "node -p process.env.PATH"], "pipe")).trim();
  const tools = env.PATH.split(delimiter).find((folder) => existsSync(join(folder, "pnpm")));
  const retryOptions = ["--config.fetchRetryMintimeout=1000", "--config.fetchRetryMaxtimeout=5000"];
  const quietFlags = ["--frozen-lockfile", "--prefer-offline", "--reporter=silent"];
  const installArgs = [...getInstallArgs(flags), ...getStoreOptions(), ...quietFlags, ...retryOptions];
  await run("Installing dependencies", "pnpm", installArgs);
  const manifests = hashManifests();
  // Rebuild packages that were built with different dependencies.
  saveState({ selection, tools, manifests, built: state.manifests === manifests ? state.built : {} });
}
// If the running Node is new enough, it takes precedence over the pinned one.
const folders = [join(root, "node_modules", ".bin"), ...(isNodeNewEnough ? [dirname(process.execPath)] : []), env.PATH];
env.PATH = folders.join(delimiter);
if (flags.includes("--build")) await build();
const [command, ...commandArgs] = args;
// Only `npm run tarballs` runs pnpm here. It prints no progress, so print the step.
if (command) await run(command === "pnpm" ? "Packing the packages" : "", command, commandArgs);
