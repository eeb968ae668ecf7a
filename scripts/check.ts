// Runs the checks that are not part of npm test. Each installs and builds what it needs:
//   npm run check                       lists the checks
//   npm run check -- NAME [arguments…]  runs one
//   npm run check -- NAME NAME…         runs several, and prints a summary
//   npm run check -- all                runs all of them except corpus and mutants
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdirSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

interface Check {
  about: string;
  /** The arguments of `scripts/bootstrap.mjs`, flags first. */
  command: string;
}

const noWarnings = "--disable-warning=ExperimentalWarning";

/** Every check, by name. */
export const checks: Readonly<Record<string, Check>> = {
  full: {
    about: "runs npm test on every store, adapter and library; PROPERTY_SEED changes the cases of the property tests",
    command: "--build node scripts/ci/test.ts --full",
  },
  slow: {
    about: "runs the tests that take minutes; a path selects some of them",
    command: "--build vitest run --project slow",
  },
  docs: {
    about: "checks the built site in Chromium, and runs every snippet that shows its output",
    command: "--build vitest run --project docs",
  },
  guides: {
    about: "runs every command of every document, each in a fresh clone with Node 20; `README.md` selects one",
    command: "node scripts/guides/run-guides.ts",
  },
  screenshots: {
    about: "takes pictures of every page of the platform: light, dark, on a phone",
    command: `--build node ${noWarnings} examples/platform/test/browser/screenshots.ts`,
  },
  release: {
    about: "rehearses a release with a registry on loopback; see RELEASE.md",
    command: "--build node scripts/release/rehearse.ts",
  },
  mutation: {
    about:
      "runs the unit tests on mutants of client, kit and platform; `client`, `webhook-kit` or `platform` selects one",
    command: "node scripts/mutation/run-mutation.ts",
  },
  mutants: {
    about: "shows which of 120 mutants the tests catch, and in which file; ids or their prefixes select some",
    command: `node ${noWarnings} tests/mutants/replay.ts`,
  },
  "bench-types": {
    about: "type-checks bench/ and tests/interoperability/, whose dependencies npm test does not install",
    command: "--all --build tsc -p bench",
  },
  simulator: {
    about: "runs scenarios of deliveries in virtual time, with faults; --seed and --count select some",
    command: "node tests/simulator/run-simulator.ts",
  },
  interleavings: {
    about: "interleaves the statements of several processes on PostgreSQL; --seed and --count select the orders",
    command: `node ${noWarnings} tests/interleavings/run-interleavings.ts`,
  },
  guards: {
    about:
      "removes each guard of the outbox, and expects the simulator or the interleavings to fail; a name selects one",
    command: `node ${noWarnings} tests/guards/guards.ts`,
  },
  "crash-test": {
    about: "kills the platform under load; --store, --processes, --kills and --stalls configure it",
    command: `--build node ${noWarnings} tests/crash-test/run-crash-test.ts --store pglite --kills 20`,
  },
  compatibility: {
    about: "tests the packed packages on each runtime and compiler, and in projects of other frameworks",
    command: "--build node tests/compatibility.ts",
  },
  interoperability: {
    about: "tests with Specmatic and with other implementations of Standard Webhooks; needs Java 17, Python 3 and Perl",
    command: `--all --build node ${noWarnings} tests/interoperability/run-interoperability.ts`,
  },
  corpus: {
    about: "sends the test vectors to your receiver: WEBHOOK_SECRET=… npm run check -- corpus http://…",
    command: "--build node packages/cli/dist/offers.js probe --strict --allow-events",
  },
};

function printChecks(): void {
  for (const [name, { about }] of Object.entries(checks)) console.log(`  ${name.padEnd(18)}${about}`);
  console.log("\nnpm run check -- NAME [arguments…]");
}

/** Runs each check and writes its output to `reports/`. Prints the duration and last line of each check. @returns whether all passed */
async function runChecks(names: readonly string[]): Promise<boolean> {
  mkdirSync("reports", { recursive: true });
  let failedCount = 0;
  for (const name of names) {
    const startedAt = performance.now();
    const file = join("reports", `${name}.log`);
    const { status, lastLine } = await runWithLog(checks[name]?.command ?? "", file);
    const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
    const summary = `${name.padEnd(18)}${minutes.padStart(5)} min  ${lastLine}`;
    if (status === 0) console.log(`    ok  ${summary}`);
    else {
      failedCount += 1;
      console.log(`FAILED  ${summary}\n        see ${file}`);
    }
  }
  console.log(`${names.length - failedCount} passed, ${failedCount} failed`);
  return failedCount === 0;
}

/** Runs a command and writes its output to `file`. @returns its exit code and the first 120 characters of the last line of its output */
async function runWithLog(command: string, file: string): Promise<{ status: number; lastLine: string }> {
  const child = spawn(process.execPath, ["scripts/bootstrap.mjs", ...command.split(" ")], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log = createWriteStream(file);
  let tail = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      log.write(chunk);
      // Only the last line is returned, so the end of the output is enough.
      tail = (tail + chunk).slice(-2_000);
    });
  const [status] = await once(child, "close");
  log.end();
  const lines = stripVTControlCharacters(tail)
    .split("\n")
    .filter((line) => line.trim() !== "");
  return { status: status ?? 1, lastLine: lines.at(-1)?.trim().slice(0, 120) ?? "" };
}

/** Runs a check in this terminal. @returns its exit code */
async function runInteractively({ command }: Check, args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, ["scripts/bootstrap.mjs", ...command.split(" "), ...args], {
    stdio: "inherit",
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  const [status] = await once(child, "close");
  return status ?? 1;
}

async function main([name, ...args]: readonly string[]): Promise<void> {
  if (name === undefined) return printChecks();
  const names =
    name === "all"
      ? Object.keys(checks).filter((checkName) => !["corpus", "mutants"].includes(checkName))
      : [name, ...args];
  // If a later argument is not the name of a check, all of them belong to the first check.
  if (names.length > 1 && names.every((checkName) => checkName in checks)) {
    process.exitCode = (await runChecks(names)) ? 0 : 1;
    return;
  }
  const check = checks[name];
  if (check === undefined) {
    console.error(`There is no check named ${name}. \`npm run check\` lists the checks.`);
    process.exitCode = 1;
  } else process.exitCode = await runInteractively(check, args);
}

if (import.meta.main) await main(process.argv.slice(2));
