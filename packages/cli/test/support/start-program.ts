import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readDocument } from "../../../../scripts/guides/read-document.ts";
import { findFreePort } from "../../../../scripts/processes/free-port.ts";
import { parseUrl, type ReceiverUrl } from "../../src/wire/receiver-url.ts";
import { secrets } from "./start-receiver.ts";

const root = join(import.meta.dirname, "../../../..");

interface Source {
  /** The program, or a guide that contains it. */
  file: string;
  command: string;
  program: string;
  base: string;
}

/** Correct receivers: three from the guides, and three from the tests. */
const sources = {
  node: { file: "docs/guides/without-a-clone.md", command: process.execPath, program: "receiver.mjs", base: "/offers" },
  python: { file: "docs/guides/other-languages.md", command: "python3", program: "receiver.py", base: "/offers" },
  java: { file: "docs/guides/other-languages.md", command: "java", program: "Receiver.java", base: "/offers" },
  perl: { file: "packages/cli/test/receivers/receiver.pl", command: "perl", program: "receiver.pl", base: "" },
  express: {
    file: "packages/cli/test/receivers/express.mjs",
    command: process.execPath,
    program: "express.mjs",
    base: "/offers",
  },
  fastify: {
    file: "packages/cli/test/receivers/fastify.mjs",
    command: process.execPath,
    program: "fastify.mjs",
    base: "/offers",
  },
} as const satisfies Record<string, Source>;

export type Program = keyof typeof sources;

export const programs = Object.keys(sources) as Program[];

/** The programs that can run on this machine, because their language is installed. */
export const runnable: readonly Program[] = programs.filter(
  (program) => spawnSync(sources[program].command, [program === "java" ? "-version" : "--version"]).status === 0,
);

/** Describes for the test output which receivers are tested and which are skipped. */
export function describeRunnable(): string {
  const missingPrograms = programs.filter((program) => !runnable.includes(program));
  const missingNote = missingPrograms.length > 0 ? `; not installed, so not tried: ${missingPrograms.join(", ")}` : "";
  return `receivers under test: ${runnable.join(", ")}${missingNote}`;
}

/** A line of a correct program, and the defective line that replaces it. */
export type Edit = readonly [correct: string, defective: string];

export interface StartedProgram {
  url: ReceiverUrl;
  stop(): Promise<void>;
}

/**
 * Starts a correct receiver in a separate folder, with some of its lines replaced.
 *
 * @throws {Error} (rejects) if a line to replace does not exist, or the receiver does not respond
 */
export async function startProgram(
  name: Program,
  edits: readonly Edit[] = [],
  env: Record<string, string> = {},
): Promise<StartedProgram> {
  const { command, program, base } = sources[name];
  const port = await findFreePort();
  const folder = writeProgram(sources[name], edits, port);
  const child = spawn(command, [program], {
    cwd: folder,
    stdio: "ignore",
    // The Perl receiver starts a process per connection, so `stop` kills the whole process group.
    detached: true,
    env: { ...process.env, WEBHOOK_SECRET: secrets.timestampDigest, PORT: String(port), ...env },
  });
  const stop = async () => {
    const ended = child.exitCode === null ? once(child, "exit") : undefined;
    if (ended && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  await waitUntilListening(child, port).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { url: parseUrl(`http://127.0.0.1:${port}${base}`), stop };
}

/** Writes a correct program with the edits to a new folder, and sets its port. @returns the folder */
function writeProgram({ file, program }: Source, edits: readonly Edit[], port: number): string {
  const files = file.endsWith(".md")
    ? readDocument(root, file).flatMap(({ saveAs, code }) => (saveAs === undefined ? [] : [{ saveAs, code }]))
    : [{ saveAs: program, code: readFileSync(join(root, file), "utf8") }];
  const missingEdit = edits.find(([correct]) => !files.some(({ code }) => code.includes(correct)));
  if (missingEdit) throw new Error(`${file} has no line ${missingEdit[0]}`);
  // A program from the tests is copied next to its source, where its framework can be resolved.
  const isGuide = file.endsWith(".md");
  const folder = mkdtempSync(join(isGuide ? tmpdir() : join(root, "packages/cli/test/receivers"), "started-"));
  for (const { saveAs, code } of files) {
    let editedCode = code;
    for (const [correct, defective] of edits) editedCode = editedCode.replace(correct, () => defective);
    writeFileSync(join(folder, saveAs), editedCode.replaceAll("3001", String(port)));
  }
  return folder;
}

/** Waits until the receiver responds, with any status. */
async function waitUntilListening(child: ChildProcess, port: number): Promise<void> {
  for (let attemptsLeft = 600; attemptsLeft > 0 && child.exitCode === null; attemptsLeft -= 1) {
    const isUp = await fetch(`http://127.0.0.1:${port}/is-it-up`, { redirect: "manual" }).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("The receiver does not respond.");
}
