// Whether the tests still notice the mutants that those of 6779069c noticed:
//   npm run check -- mutants [id or beginning of ids…]
// net.jsonl has the mutants, and for each the first test file that failed then. Each mutant is placed by its context in a clone of the
// latest commit. Then the file that now has those tests runs; if it passes, all files that covered the line run.
import { existsSync, globSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { runCommand } from "../../scripts/processes/run-command.ts";

interface Mutant {
  id: string;
  /** The file that it was in at 6779069c; the other fields are its source and the context around it. */
  file: string;
  before: string;
  original: string;
  replacement: string;
  after: string;
  /** The first test file that failed at 6779069c; absent if those that cover the line passed. */
  killedBy?: string;
  /** The file that has its tests now. @default killedBy */
  test?: string;
  /** The test files that covered the line, by their index in the first line of net.jsonl. */
  coveredBy: number[];
}

interface Report {
  testResults: { name: string; status: string }[];
}

const root = join(import.meta.dirname, "../..");
const lines = (await readFile(join(import.meta.dirname, "net.jsonl"), "utf8")).trimEnd().split("\n");
const [{ tests }, ...mutants] = lines.map((line) => JSON.parse(line)) as [{ tests: string[] }, ...Mutant[]];

/** Removes white space, which a formatter may change. @returns the rest, and the original position of each character */
function removeWhiteSpace(text: string): { text: string; at: number[] } {
  const at = [...text.matchAll(/\S/g)].map(({ index }) => index);
  return { text: at.map((index) => text[index]).join(""), at };
}

/** Applies a mutant. @param context how many characters on each side must match @returns undefined unless they match in exactly one place */
function mutate(source: string, mutant: Mutant, context: number): string | undefined {
  const [before, original, after] = [mutant.before, mutant.original, mutant.after].map(
    (part) => removeWhiteSpace(part).text,
  );
  if (before === undefined || !original || after === undefined) return undefined;
  const [start, end] = [before.slice(-context), after.slice(0, context)];
  const compact = removeWhiteSpace(source);
  const parts = compact.text.split(start + original + end);
  if (parts.length !== 2) return undefined;
  const first = (parts[0] ?? "").length + start.length;
  const until = (compact.at[first + original.length - 1] ?? 0) + 1;
  return source.slice(0, compact.at[first]) + mutant.replacement.trim() + source.slice(until);
}

/** Finds where a mutant belongs today: where its context occurs exactly once, in a file with the same name or in any. */
async function locate(
  clone: string,
  mutant: Mutant,
): Promise<{ path: string; source: string; mutated: string } | undefined> {
  const paths = globSync(join(clone, "{packages,examples}/*/src/**/*.ts"));
  const sources = await Promise.all(paths.map(async (path) => ({ path, source: await readFile(path, "utf8") })));
  const named = sources.filter(({ path }) => basename(path) === basename(mutant.file));
  for (const [files, contexts] of [
    [named, [40, 20, 10]],
    [sources, [40, 20]],
  ] as const) {
    for (const context of contexts) {
      const found = files.flatMap(({ path, source }) => {
        const mutated = mutate(source, mutant, context);
        return mutated === undefined ? [] : [{ path, source, mutated }];
      });
      if (found.length === 1) return found[0];
    }
  }
  return undefined;
}

/** Removes the suffix that says when and how a test file runs. */
const removeSuffix = (test: string) => test.replace(/(\.isolated|\.slow|\.docs)?\.test\.ts$/, "");

/** Finds the test file that a file of 6779069c has become: it may have another suffix or folder. */
function findCurrentFile(test: string, existing: readonly string[]): string | undefined {
  const named = existing.filter((name) => basename(removeSuffix(name)) === basename(removeSuffix(test)));
  return named.find((name) => removeSuffix(name) === removeSuffix(test)) ?? (named.length === 1 ? named[0] : undefined);
}

const isSlow = (test: string) => test.endsWith(".slow.test.ts");

/** Builds what has changed and runs these test files. @returns those that fail: with `--bail`, only the first */
async function runTests(clone: string, files: readonly string[], ...flags: string[]): Promise<string[]> {
  if (files.length === 0) return [];
  const report = join(clone, "report.json");
  await rm(report, { force: true });
  const vitest = ["vitest", "run", "--maxWorkers=1", "--reporter=json", `--outputFile=${report}`, ...flags, ...files];
  const command = ["scripts/bootstrap.mjs", "--build", ...vitest];
  const timeoutMs = 300_000 + 120_000 * files.length;
  const error = await runCommand(process.execPath, command, { cwd: clone, timeoutMs }).then(() => undefined, String);
  // A run that ended early has no report: the mutant broke the build or something that all tests need, or a test never ended. The first file then counts as failed.
  if (!existsSync(report)) return error === undefined ? [] : [files[0] ?? ""];
  const { testResults } = JSON.parse(await readFile(report, "utf8")) as Report;
  return testResults.flatMap(({ name, status }) => (status === "failed" ? [name.slice(clone.length + 1)] : []));
}

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
const idPrefixes = process.argv.slice(2);
const chosen = mutants.filter(
  ({ id }) => idPrefixes.length === 0 || idPrefixes.some((prefix) => id.startsWith(prefix)),
);
const scratch = await mkdtemp(join(tmpdir(), "offers-mutants-"));
const verdicts: Record<string, number> = {};
try {
  const clone = join(scratch, "offers");
  await runCommand("git", ["clone", "--quiet", root, clone], { cwd: scratch });
  const existing = globSync("{packages,examples,scripts,tests}/*/**/*.test.ts", {
    cwd: clone,
    exclude: ["**/node_modules"],
  });
  const filesFor = ({ killedBy, test = killedBy, coveredBy }: Mutant) => {
    const named = [...(test === undefined ? [] : [test]), ...coveredBy.map((index) => tests[index] ?? "")];
    return [...new Set(named.flatMap((name) => findCurrentFile(name, existing) ?? []))];
  };
  const firsts = [...new Set(chosen.flatMap((mutant) => filesFor(mutant).slice(0, 1)))];
  const broken = await runTests(clone, firsts);
  if (broken.length > 0) console.log(`without a mutant, these fail, and are left out: ${broken.join(", ")}`);
  for (const mutant of chosen) {
    const files = filesFor(mutant).filter((file) => !broken.includes(file));
    const fast = files.filter((file) => !isSlow(file));
    const groups = [fast.slice(0, 1), fast.slice(1), files.filter(isSlow)];
    const found = await locate(clone, mutant);
    let killer: string | undefined;
    if (found) {
      await writeFile(found.path, found.mutated);
      for (const group of groups) killer ??= (await runTests(clone, group, "--bail=1"))[0];
      await writeFile(found.path, found.source);
    }
    const survived = mutant.killedBy === undefined ? "not killed at 6779069c either" : "NO LONGER KILLED";
    const killed = killer && (isSlow(killer) ? "killed by a slow suite" : "killed by npm test");
    const verdict = found ? (killed ?? survived) : "source gone";
    verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
    console.log(`${mutant.id.padEnd(30)}${verdict.padEnd(24)}${killer ?? ""}`);
  }
} finally {
  await rm(scratch, { recursive: true, maxRetries: 5, retryDelay: 200 });
}
for (const [verdict, count] of Object.entries(verdicts)) console.log(`${String(count).padStart(4)} ${verdict}`);
process.exitCode = verdicts["NO LONGER KILLED"] ? 1 : 0;
