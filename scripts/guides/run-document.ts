import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { matches } from "./matches.ts";
import { createPortReplacer } from "./ports.ts";
import { type Block, isCommand } from "./read-document.ts";

export interface RunOptions {
  /** The folder in which the reader's terminal starts: the root of the repository. */
  root: string;
  env: Record<string, string | undefined>;
  /** How long the document may take. */
  limitMs: number;
  /** Whether each block is announced on standard output. */
  announces?: boolean;
}

const waitScript = join(import.meta.dirname, "wait-for-match.ts");

/**
 * Runs the commands in a document in one shell, like a reader, with free ports and temporary folders. Variables, functions and the current
 * folder persist from one block to the next.
 *
 * @throws for the first command that fails, or that prints something other than the documented output
 */
export async function runDocument(blocks: readonly Block[], options: RunOptions): Promise<void> {
  const { root, env, limitMs, announces = false } = options;
  const scratch = await mkdtemp(join(tmpdir(), "offers-guide-"));
  const replacePorts = await createPortReplacer();
  const temporary = join(scratch, "tmp");
  await mkdir(temporary);
  const preparedBlocks = blocks.map((block, index) => ({
    ...block,
    code: replacePorts(block.code),
    // If the document shows no output, any output matches.
    expected: replacePorts(block.expected ?? "…"),
    isRun: isCommand(block) && block.notRun === undefined,
    path: join(scratch, String(index)),
  }));
  for (const { path, code, expected } of preparedBlocks) {
    await writeFile(`${path}.sh`, code);
    await writeFile(`${path}.expected`, expected);
  }
  const script = join(scratch, "document.sh");
  await writeFile(script, preparedBlocks.map(toShellCommands).join("\n"));
  // Start a process group, so that background processes of the blocks can be stopped too.
  const stdio = announces ? "inherit" : "ignore";
  const shell = spawn("sh", ["-e", script], {
    cwd: root,
    env: { ...env, TMPDIR: temporary, XDG_CACHE_HOME: temporary },
    detached: true,
    timeout: limitMs,
    stdio: ["ignore", stdio, stdio],
  });
  // If this run is interrupted, stop everything that it started.
  const killAll = () => void signalGroup(shell, "SIGKILL");
  process.once("exit", killAll);
  try {
    const [, signal] = await once(shell, "exit");
    for (const { location, path, expected, isRun, keepsRunning } of preparedBlocks) {
      if (!isRun) continue;
      const output = await readFile(`${path}.out`, "utf8").catch(() => "");
      if (!existsSync(`${path}.done`)) {
        const reason = keepsRunning ? "ended" : "a command failed";
        throw new Error(`${location}: ${signal === null ? reason : "timed out"}:\n${output}`);
      }
      if (!matches(output, expected)) throw new Error(`${location}: printed\n${output}\ninstead of\n${expected}`);
    }
  } finally {
    await stopProcessGroup(shell);
    process.off("exit", killAll);
    await rm(scratch, { recursive: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Formats the shell commands that save a block as a file, run it with an empty standard input, or both. */
function toShellCommands(block: Block & { path: string; isRun: boolean }): string {
  const { path, location, saveAs, isRun, keepsRunning } = block;
  const output = `> '${path}.out' 2>&1 < /dev/null`;
  const formatWaitCommand = (suffix: string) =>
    `'${process.execPath}' '${waitScript}' '${path}.out' '${path}.expected' '${path}.${suffix}'`;
  const foregroundCommands = [`. '${path}.sh' ${output}; : > '${path}.done'`, formatWaitCommand("done")];
  // The next block starts when this block has printed the expected output or ended.
  const backgroundCommands = [
    `: > '${path}.out'; { set +e; ( set -e; . '${path}.sh' ) ${output}; : > '${path}.ended'; } &`,
    `${formatWaitCommand("ended")}; : > '${path}.done'`,
  ];
  const runCommands = keepsRunning ? backgroundCommands : foregroundCommands;
  return [
    ...(saveAs === undefined ? [] : [`cp '${path}.sh' '${saveAs}'`]),
    ...(isRun ? [`echo '${location}'`, ...runCommands] : []),
  ].join("\n");
}

/** Stops the shell and everything that it started: first with SIGTERM, then after twenty seconds with SIGKILL. */
async function stopProcessGroup(shell: ChildProcess): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (!signalGroup(shell, signal)) return;
    for (let polls = 0; polls < 100 && signalGroup(shell, 0); polls++) await sleep(200);
  }
}

/** Sends a signal to the process group of the shell. @returns whether the group still contains a process */
function signalGroup({ pid = Number.NaN }: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}
