// Checks and measurements that are not part of npm test, each with what it needs installed and built:
//   npm run check                       lists them
//   npm run check -- NAME [arguments…]  runs one
//   npm run check -- all                runs everything that npm test does not, and prints a summary
//   npm run check -- all slow docs      runs some of it
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdirSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

interface Check {
  about: string;
  /** What `scripts/bootstrap.mjs` runs, with its flags before. */
  command: string;
}

const crashTest = "--build node --disable-warning=ExperimentalWarning tests/crash-test/run.ts";

const groups: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  gate: {
    contract: {
      about: "every statement of the contract and every decision has tests; a step of npm test",
      command: "node scripts/check-contract.ts",
    },
    full: { about: "npm test on every store and adapter", command: "--build node scripts/gate/test.ts --full" },
    slow: {
      about: "tests that take minutes or measure; a path selects some of them",
      command: "--build vitest run --project slow",
    },
    "bench:types": { about: "the types of bench/, with what it compares", command: "--all --build tsc -p bench" },
  },
  docs: {
    docs: {
      about: "the built site in Chromium, and every snippet that says what it prints",
      command: "--build vitest run --project docs",
    },
    guides: {
      about: "every command of every document, each document in a fresh clone with Node 20; `README.md` selects one",
      command: "node scripts/guides/run.ts",
    },
    screenshots: {
      about: "takes pictures of every page of the platform: light, dark, on a phone",
      command: "--build node --disable-warning=ExperimentalWarning examples/platform/test/browser/screenshots.ts",
    },
    pictures: {
      about: "takes the README's pictures from the screenshots",
      command: "--build node --disable-warning=ExperimentalWarning scripts/docs/pictures.ts",
    },
  },
  release: {
    "release:rehearse": {
      about: "a release from a bare clone to a registry on loopback, installed in six projects; RELEASE.md",
      command: "--build node scripts/release/rehearse.ts",
    },
    "release:check": {
      about: "packed packages before they are published: `packed sbom`",
      command: "node scripts/release/check.ts",
    },
  },
  reliability: {
    mutation: {
      about: "mutants of an offer's state machine and of the request validation",
      command: "stryker run scripts/mutation/stryker.config.json",
    },
    "mutation:client": {
      about: "mutants of the client: retries, deadlines, parsing",
      command: "stryker run scripts/mutation/client.stryker.json",
    },
    "mutation:webhook-kit": {
      about: "mutants of the kit: parsing, verification, deduplication",
      command: "stryker run scripts/mutation/webhook-kit.stryker.json",
    },
    properties: {
      about: "the property tests with a new seed; PROPERTY_SEED repeats a run",
      command: "--build node scripts/properties.ts",
    },
    simulator: {
      about: "100,000 stories of deliveries in virtual time, with faults; SEED and SCHEDULES select some of them",
      command: "node tests/simulator/run.ts",
    },
    interleavings: {
      about:
        "10,000 orders of the statements of several processes on PostgreSQL; SEED and SCHEDULES select some of them",
      command: "node --disable-warning=ExperimentalWarning tests/interleavings/run.ts",
    },
    guards: {
      about: "how many schedules of these two find each guard that is taken out; a name selects one",
      command: "node --disable-warning=ExperimentalWarning tests/guards/guards.ts",
    },
  },
  compatibility: {
    runtimes: {
      about: "the packed packages on Node 20 to 26, Bun, Deno and workerd",
      command: "--build node tests/runtimes/run.ts",
    },
    "types-matrix": {
      about: "the packed types with TypeScript 5.9, 6.0 and 7.0, with and without DOM",
      command: "--build node tests/types/run.ts",
    },
    recipes: {
      about: "the guides' recipes in fresh projects: `next`, `jest`, `lambda`, `queues`; needs PostgreSQL and Redis",
      command: "--build node tests/recipes/run.ts",
    },
    "other-language": {
      about: "the platform called by a Perl client that another generator made",
      command: "--build node tests/other-language/run.ts",
    },
    interoperability: {
      about: "Specmatic against the platform; other languages' Standard Webhooks: needs Java 17, Python 3 and Perl",
      command: "--all --build node --disable-warning=ExperimentalWarning tests/interoperability/run.ts",
    },
    "interoperability:types": { about: "the types of these", command: "--all --build tsc -p tests/interoperability" },
    corpus: {
      about: "sends the corpus to a receiver: WEBHOOK_SECRET=… npm run check -- corpus http://…",
      command: "--build node packages/cli/dist/offers.js probe --strict --allow-events",
    },
  },
};

/** Every check, by its name. */
export const checks: Readonly<Record<string, Check>> = Object.assign({}, ...Object.values(groups));

function listChecks(): void {
  for (const [group, members] of Object.entries(groups)) {
    console.log(`\n${group}`);
    for (const [name, { about }] of Object.entries(members)) console.log(`  ${name.padEnd(22)}${about}`);
  }
  console.log("\nnpm run check -- NAME [arguments…]");
}

/** Those that only a person or a release asks for. */
const notInAll = ["contract", "pictures", "corpus", "release:check", "properties"];

/** What npm test does not run, by name: the arguments of the bootstrap. */
const everything: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(checks).flatMap(([name, { command }]) => (notInAll.includes(name) ? [] : [[name, command]])),
  ),
  "crash-test": `${crashTest} --store pglite --kills 20`,
  "crash-test:postgres": `${crashTest} --store postgres --processes 2 --kills 20 --stalls 5`,
  bench: "--all --build node bench/main.ts --quick",
};

/** Runs each, with its output in `reports/`, and prints a line for it: whether it passed, how long it took, its last line. */
async function runAll(names: readonly string[]): Promise<boolean> {
  mkdirSync("reports", { recursive: true });
  const results: boolean[] = [];
  for (const name of names) {
    const startedAt = performance.now();
    const file = join("reports", `${name.replace(":", "-")}.log`);
    const { status, lastLine } = await run(everything[name] ?? "", file);
    results.push(status === 0);
    const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
    console.log(`${status === 0 ? "    ok" : "FAILED"}  ${name.padEnd(22)}${minutes.padStart(5)} min  ${lastLine}`);
    if (status !== 0) console.log(`        its output is in ${file}`);
  }
  const failed = results.filter((passed) => !passed).length;
  console.log(`${results.length - failed} passed, ${failed} failed`);
  return failed === 0;
}

async function run(command: string, file: string): Promise<{ status: number; lastLine: string }> {
  const child = spawn(process.execPath, ["scripts/bootstrap.mjs", ...command.split(" ")], {
    stdio: ["ignore", "pipe", "pipe"],
    // Of the simulator and the interleavings: some minutes each.
    env: { SCHEDULES: "10000", ...process.env },
  });
  const log = createWriteStream(file);
  let end = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      log.write(chunk);
      end = (end + chunk).slice(-2_000);
    });
  const [status] = await once(child, "close");
  log.end();
  const lines = stripVTControlCharacters(end)
    .split("\n")
    .filter((line) => line.trim() !== "");
  return { status: status ?? 1, lastLine: lines.at(-1)?.trim().slice(0, 120) ?? "" };
}

async function main([name, ...args]: readonly string[]): Promise<void> {
  if (name === undefined) return listChecks();
  if (name === "all") {
    const unknown = args.find((each) => everything[each] === undefined);
    if (unknown !== undefined)
      throw new Error(`all does not run ${unknown}, but: ${Object.keys(everything).join(", ")}`);
    process.exitCode = (await runAll(args.length > 0 ? args : Object.keys(everything))) ? 0 : 1;
    return;
  }
  const check = checks[name];
  if (check === undefined) {
    console.error(`There is no check ${name}: \`npm run check\` lists them.`);
    process.exitCode = 1;
    return;
  }
  const command = ["scripts/bootstrap.mjs", ...check.command.split(" "), ...args];
  const child = spawn(process.execPath, command, { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  const [status] = await once(child, "close");
  process.exitCode = status ?? 1;
}

if (import.meta.main) await main(process.argv.slice(2));
