import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A shell that a reader types into: variables, functions and the current folder last from one block to the next. */
export class Terminal {
  readonly #shell: ChildProcess;
  readonly #folder: string;
  readonly #limitMs: number;
  #blocks = 0;

  private constructor(shell: ChildProcess, folder: string, limitMs: number) {
    this.#shell = shell;
    this.#folder = folder;
    this.#limitMs = limitMs;
  }

  /**
   * @param scratch a folder for what is typed and printed
   * @param limitMs how long one block may take
   */
  static async open(
    cwd: string,
    env: Record<string, string | undefined>,
    scratch: string,
    limitMs: number,
  ): Promise<Terminal> {
    const log = await open(join(scratch, "terminal.log"), "a");
    // A group of its own, so that what the blocks leave in the background can be ended with it.
    const shell = spawn("sh", ["-s"], { cwd, env, detached: true, stdio: ["pipe", log.fd, log.fd] });
    await once(shell, "spawn");
    await log.close();
    const terminal = new Terminal(shell, scratch, limitMs);
    // A run that is broken off leaves nothing running.
    process.once("exit", () => terminal.#signal("SIGKILL"));
    return terminal;
  }

  /**
   * Runs a block to its end.
   *
   * @throws when one of its commands fails
   */
  async run(code: string): Promise<{ output: string; folder: string }> {
    const { script, output, end } = await this.#type(code);
    // The first failure ends the shell, as set -e has it; the blocks themselves read no input.
    this.#send(
      `set -e; . '${script}' > '${output}' 2>&1 < /dev/null; set +e; pwd > '${end}.part'; mv '${end}.part' '${end}'`,
    );
    const folder = await this.#until(output, () => readFile(end, "utf8").catch(() => undefined));
    return { output: await readFile(output, "utf8"), folder: folder.trim() };
  }

  /** Starts what keeps running, as a reader does in one more terminal, and waits until it has printed what it should. */
  async start(code: string, isReady: (output: string) => boolean): Promise<string> {
    const { script, output, end } = await this.#type(code);
    this.#send(`{ ( set -e; . '${script}' ) > '${output}' 2>&1 < /dev/null; echo > '${end}'; } &`);
    return this.#until(output, async () => {
      // In this order: what it printed before it ended is then all there is.
      const hasEnded = await readFile(end, "utf8").then(
        () => true,
        () => false,
      );
      const printed = await readFile(output, "utf8").catch(() => "");
      if (isReady(printed)) return printed;
      if (hasEnded) throw new Error(`ended:\n${printed}`);
      return undefined;
    });
  }

  /** Ends the shell and everything it started. */
  async close(): Promise<void> {
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (!this.#signal(signal)) return;
      for (let left = 100; left > 0 && this.#signal(0); left--) await sleep(200);
    }
  }

  /** Whether the shell's group has a process that could get the signal. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(-(this.#shell.pid ?? Number.NaN), signal);
    } catch {
      return false;
    }
  }

  async #type(code: string): Promise<{ script: string; output: string; end: string }> {
    const base = join(this.#folder, `block-${++this.#blocks}`);
    await writeFile(`${base}.sh`, code);
    return { script: `${base}.sh`, output: `${base}.out`, end: `${base}.end` };
  }

  #send(line: string): void {
    this.#shell.stdin?.write(`${line}\n`);
  }

  async #until<T>(output: string, look: () => Promise<T | undefined>): Promise<T> {
    const deadline = Date.now() + this.#limitMs;
    for (;;) {
      const seen = await look();
      if (seen !== undefined) return seen;
      const gone = this.#shell.exitCode !== null || this.#shell.signalCode !== null;
      if (gone || Date.now() > deadline) {
        const printed = await readFile(output, "utf8").catch(() => "");
        throw new Error(`${gone ? "a command failed" : "not done in time"}:\n${printed}`);
      }
      await sleep(50);
    }
  }
}
