import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { startProcess } from "../processes/start-process.ts";
import { readCorpus, writeCorpus } from "./fuzz/corpus.ts";
import { nodeWithNewerLibraries } from "./fuzz/newer-node.ts";
import type { FuzzTarget } from "./fuzz/target.ts";
import { targets } from "./fuzz/targets.ts";
import type { SuiteReport } from "./suite.ts";

/** For each target. */
const seconds = Number(process.env.FUZZ_SECONDS ?? 30);
const named = process.env.FUZZ_TARGETS?.split(",") ?? Object.keys(targets);
/** Adds inputs that reach new code to the corpus in the repository, as few as reach all of it. */
const keepsCorpus = process.env.FUZZ_KEEP === "1";

const require = createRequire(import.meta.url);
const manifest = require.resolve("@jazzer.js/core/package.json");
const program = join(manifest, "..", "dist/cli.js");

/** Coverage-guided fuzzing of each parser (libFuzzer). The sources are bundled into one file, whose branches are counted. */
export async function fuzz(): Promise<SuiteReport> {
  const { version } = require("@jazzer.js/core/package.json");
  const node = await findNode();
  const folder = await mkdtemp(join(tmpdir(), "offers-fuzz-"));
  const found: string[] = [];
  let executions = 0;
  try {
    const bundle = join(folder, "targets.cjs");
    await build({
      entryPoints: [resolve(import.meta.dirname, "fuzz/entry.ts")],
      outfile: bundle,
      bundle: true,
      platform: "node",
      format: "cjs",
      target: "node22",
      logLevel: "error",
    });
    for (const name of named) {
      const target = targets[name];
      if (!target) throw new Error(`There is no target ${name}; there are: ${Object.keys(targets).join(", ")}.`);
      const run = await fuzzTarget(node, name, target, bundle, join(folder, name));
      executions += run.executions;
      console.log(`  ${name}: ${run.executions} executions, ${run.coverage} branches, ${run.inputs} inputs kept`);
      if (run.failure) found.push(`${name}: ${run.failure}`);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  const tried = `${executions} executions of ${named.length} targets in ${seconds} s each`;
  return { suite: `@jazzer.js/core ${version}`, tried, found };
}

/** Node with libraries that Jazzer.js' binary can use: on Linux, glibc 2.38. */
async function findNode(): Promise<string> {
  const causes: unknown[] = [];
  for (const find of [() => process.execPath, nodeWithNewerLibraries])
    try {
      const node = await find();
      await startFuzzer(node);
      return node;
    } catch (cause) {
      causes.push(cause);
    }
  const needs = "This needs glibc 2.38 on Linux, for Jazzer.js' binary: Ubuntu 24.04, Debian 13, or an older Debian.";
  throw new AggregateError(causes, needs);
}

async function startFuzzer(node: string): Promise<void> {
  const fuzzer = startProcess(node, [program, "--help"], { ready: /(--sync)/ });
  await fuzzer.ready;
  await fuzzer.stop();
}

interface FuzzRun {
  executions: number;
  /** Counters that any input reached. */
  coverage: number;
  /** In the corpus at the end. */
  inputs: number;
  failure: string | undefined;
}

async function fuzzTarget(
  node: string,
  name: string,
  target: FuzzTarget,
  bundle: string,
  folder: string,
): Promise<FuzzRun> {
  const [inputs, fewest] = [join(folder, "inputs"), join(folder, "fewest")];
  for (const each of [inputs, fewest]) await mkdir(each, { recursive: true });
  for (const [index, input] of (await readCorpus(name)).entries()) await writeFile(join(inputs, `${index}`), input);
  const words = join(folder, "words");
  await writeFile(words, target.words.map((word) => `"${escaped(word)}"\n`).join(""));
  const isAsync = target.fuzz.constructor.name === "AsyncFunction";
  const printed = join(folder, "printed");
  const run = async (...options: string[]): Promise<string> => {
    const command = [program, bundle, "--includes", "targets.cjs", ...(isAsync ? [] : ["--sync"]), "--", ...options];
    // Into a file: Node makes pipes non-blocking, and libFuzzer loses what does not fit.
    const output = await open(printed, "w");
    const child = spawn(node, command, {
      cwd: folder,
      env: { ...process.env, FUZZ_TARGET: name },
      stdio: ["ignore", output.fd, output.fd],
    });
    // Its exit code says no more than its text.
    await once(child, "exit");
    await output.close();
    return readFile(printed, "utf8");
  };
  const common = ["-max_len=2000", "-timeout=5", `-dict=${words}`, "-print_final_stats=1"];
  const text = await run(inputs, ...common, `-max_total_time=${seconds}`);
  const last = (pattern: RegExp) => Number([...text.matchAll(pattern)].at(-1)?.[1] ?? 0);
  const failure = failureIn(text);
  if (keepsCorpus && !failure) {
    await run(fewest, inputs, ...common, "-merge=1");
    const files = await readdir(fewest);
    if (files.length === 0) throw new Error(`${name}: libFuzzer could not merge its inputs; the corpus is as it was`);
    await writeCorpus(name, await Promise.all(files.map((file) => readFile(join(fewest, file)))));
  }
  return {
    executions: last(/number_of_executed_units: (\d+)/g),
    coverage: last(/cov: (\d+)/g),
    inputs: last(/corp: (\d+)/g),
    failure,
  };
}

/** The error with its input. */
function failureIn(text: string): string | undefined {
  const message = /(?:Uncaught Exception: |ERROR: libFuzzer: )(.*(?:\n(?! {4}at |MS: ).*)*)/.exec(text)?.[1];
  const input = /Base64: (\S*)/.exec(text)?.[1];
  if (message === undefined && input === undefined && /number_of_executed_units: [1-9]/.test(text)) return undefined;
  const given = input === undefined ? "" : ` for ${JSON.stringify(Buffer.from(input, "base64").toString("latin1"))}`;
  return `${message ?? text.slice(-2000)}${given}`;
}

/** As a dictionary of libFuzzer has it. */
const escaped = (word: string): string =>
  Array.from(Buffer.from(word, "utf8"), (byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
