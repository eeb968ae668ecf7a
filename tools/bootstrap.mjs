// Runs a command with everything the house needs, on a machine that may have no more than Node 20 and npm:
//   node tools/bootstrap.mjs [--build] command [arguments…]
// The running Node is used where it is new enough for the tools, a pinned one from npm otherwise. Plain JavaScript,
// without dependencies: it is what installs them.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const pinnedNode = "24.21.0";
const pinnedPnpm = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).packageManager;

/** `^22.19 || ^24.11 || >=26`: what vitest, tsup, undici and type stripping need between them. */
const isNewEnough = ([major, minor]) => (major === 22 && minor >= 19) || (major === 24 && minor >= 11) || major >= 26;

const run = (command, args, env = process.env) => {
  const { status, signal, error } = spawnSync(command, args, { cwd: root, stdio: "inherit", env });
  if (error) throw error;
  if (signal) process.kill(process.pid, signal);
  if (status !== 0) process.exit(status);
};

const args = process.argv.slice(2);

if (process.env.OFFERS_BOOTSTRAPPED !== "1") {
  const newEnough = isNewEnough(process.versions.node.split(".").map(Number));
  const packages = newEnough ? [pinnedPnpm] : [`node@${pinnedNode}`, pinnedPnpm];
  const quoted = [fileURLToPath(import.meta.url), ...args].map((word) => JSON.stringify(word)).join(" ");
  run("npx", ["--yes", ...packages.flatMap((name) => ["-p", name]), "-c", `node ${quoted}`], {
    ...process.env,
    OFFERS_BOOTSTRAPPED: "1",
  });
} else {
  const path = [join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH: path };
  run("pnpm", ["install", "--frozen-lockfile", "--prefer-offline", "--reporter=silent"]);
  if (args[0] === "--build") {
    args.shift();
    run("pnpm", ["--filter", "./packages/*", "--reporter-hide-prefix", "--silent", "run", "build"], env);
  }
  const [command, ...rest] = args;
  if (command) run(command, rest, env);
}
