// Runs every command of every document, each in a fresh clone of the latest commit, with Node 20 and npm:
//   npm run check -- guides [document…]
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createReaderEnv } from "./node-and-npm.ts";
import { isCommand, listDocuments, readDocument } from "./read-document.ts";
import { runDocument } from "./run-document.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");

/** The time limit for one document, including installation and build. */
const limitMs = 30 * 60_000;

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const requestedDocuments = process.argv.slice(2);
const scratch = await mkdtemp(join(tmpdir(), "offers-clones-"));
let runCount = 0;
const omittedBlocks: string[] = [];
try {
  const bin = join(scratch, "bin");
  await mkdir(bin);
  const env = await createReaderEnv(bin);
  for (const source of listDocuments(root).filter(isRequested)) {
    const commands = readDocument(root, source).filter(isCommand);
    omittedBlocks.push(
      ...commands.flatMap(({ location, notRun }) => (notRun === undefined ? [] : [`${location}: ${notRun}`])),
    );
    if (commands.every(({ notRun }) => notRun !== undefined)) continue;
    const folder = await mkdtemp(join(scratch, "reader-"));
    // The folder is not named like the repository, because a reader's clone may have any name.
    const clone = join(folder, "staffing");
    await run("git", ["clone", "--quiet", root, clone]);
    await runDocument(readDocument(clone, source), { root: clone, env, limitMs, announces: true });
    runCount += commands.filter(({ notRun }) => notRun === undefined).length;
    await rm(folder, { recursive: true, maxRetries: 5, retryDelay: 200 });
  }
} finally {
  await rm(scratch, { recursive: true, maxRetries: 5, retryDelay: 200 });
}
for (const block of omittedBlocks) console.log(`not run: ${block}`);
console.log(`${runCount} blocks run, ${omittedBlocks.length} not run`);

function isRequested(source: string): boolean {
  return requestedDocuments.length === 0 || requestedDocuments.includes(source);
}
