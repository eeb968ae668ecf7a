// Runs a command with the right Node, pnpm and all dependencies, on a machine that needs only Node 20 and npm:
//   node tools/bootstrap.mjs [--journey | --bench | --outside] [--build] command [arguments…]
// --build builds the packages. --journey installs only what building and npm start need; --bench also installs the candidates
// of bench/, and --outside the suites of tools/outside/, which nothing else needs.
// The running Node is used where it is new enough for the tools, a pinned one from npm otherwise. Plain JavaScript,
// without dependencies: it is what installs them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const pinnedNode = "node@24.21.0";
// Here and not as package.json's packageManager: pnpm would want to look itself up before it installs from the lockfile.
const pinnedPnpm = "pnpm@12.21.0";

/** `^22.19 || ^24.11 || >=26`: what vitest, tsup, undici and type stripping need between them. */
const isNewEnough = ([major, minor]) => (major === 22 && minor >= 19) || (major === 24 && minor >= 11) || major >= 26;

/** Runs to its end; a failure ends this process alike, and a signal to this process ends the command. */
const run = async (command, args, env = process.env) => {
  const child = spawn(command, args, { cwd: root, stdio: "inherit", env });
  const forward = (signal) => child.kill(signal);
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, forward);
  // npm passes no SIGTERM on: when it has ended, this command ends too.
  const parent = process.ppid;
  const orphaned = setInterval(() => process.ppid !== parent && forward("SIGTERM"), 500);
  const [status] = await once(child, "close");
  clearInterval(orphaned);
  for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, forward);
  if (status !== 0) process.exit(status ?? 1);
};

/** What building and npm start need: dependencies of these, without their devDependencies. */
const journey = ["offers", "./packages/*", "@offers/sandbox", "@offers-examples/*"];

/** The part of pnpm's command line that says what is installed. */
const installationFor = (flags) => {
  const filters = (names) => names.flatMap((name) => ["--filter", name]);
  if (flags.includes("--bench")) return [...filters(["!@offers/outside"]), "install"];
  if (flags.includes("--outside")) return [...filters(["!@offers/bench"]), "install"];
  // Installing less than is there would remove the rest: vitest came with the rest.
  if (flags.includes("--journey") && !existsSync(join(root, "node_modules", "vitest")))
    // Without the check of every locked version's age, which loads 170 MB of metadata; the other installations, CI's among them, do it.
    return [...filters(journey), "install", "--prod", "--config.minimumReleaseAge=0"];
  return [...filters(["!@offers/bench", "!@offers/outside"]), "install"];
};

/** The store that the folder's packages are linked from. pnpm refuses any other one, such as that of another HOME. */
const linkedStore = () => {
  const file = join(root, "node_modules", ".modules.yaml");
  if (!existsSync(file)) return [];
  const { storeDir } = JSON.parse(readFileSync(file, "utf8"));
  // pnpm appends the version of its format.
  return existsSync(storeDir) ? [`--store-dir=${dirname(storeDir)}`] : [];
};

const args = process.argv.slice(2);

if (process.env.OFFERS_BOOTSTRAPPED !== "1") {
  const newEnough = isNewEnough(process.versions.node.split(".").map(Number));
  const packages = newEnough ? [pinnedPnpm] : [pinnedNode, pinnedPnpm];
  const quoted = [fileURLToPath(import.meta.url), ...args].map((word) => JSON.stringify(word)).join(" ");
  await run("npx", ["--yes", ...packages.flatMap((name) => ["-p", name]), "-c", `node ${quoted}`], {
    ...process.env,
    OFFERS_BOOTSTRAPPED: "1",
  });
} else {
  const env = { ...process.env, PATH: [join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter) };
  const flags = [];
  while (args[0]?.startsWith("--")) flags.push(args.shift());
  const quietly = ["--frozen-lockfile", "--prefer-offline", "--reporter=silent"];
  await run("pnpm", [...installationFor(flags), ...linkedStore(), ...quietly]);
  if (flags.includes("--build")) {
    // The installation has just been made: pnpm would check it again, with the ages of all versions.
    const options = ["--config.verifyDepsBeforeRun=false", "--reporter-hide-prefix", "--silent"];
    await run("pnpm", [...options, "--filter", "./packages/*", "run", "build"], env);
  }
  const [command, ...rest] = args;
  if (command) await run(command, rest, env);
}
