import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

export interface StartOptions extends SpawnOptions {
  /** Matches the line that the process prints when it is ready. By default, the first group matches its URL. */
  ready?: RegExp;
  onLine?: (line: string) => void;
}

export interface StartedProcess {
  child: ChildProcess;
  /** The last thousand lines that the process printed. */
  lines: readonly string[];
  /** Resolves with the match of the first group in `StartOptions.ready`. Rejects if the process exits first. */
  ready: Promise<string>;
  /** Stops the process. @returns the exit code; null if a signal ended it */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts a process that prints a line when it is ready. */
export function startProcess(command: string, args: readonly string[], options: StartOptions = {}): StartedProcess {
  const { ready: pattern = /listening on (http:\/\/[\w.]+:\d+)/, onLine, ...spawnOptions } = options;
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...spawnOptions });
  const exited = once(child, "exit");
  const lines: string[] = [];
  const ready = new Promise<string>((resolve, reject) => {
    // Read every stream except the standard input, including pipes that the caller has added.
    for (const input of child.stdio.slice(1))
      if (input)
        createInterface({ input: input as Readable }).on("line", (line) => {
          lines.push(line);
          if (lines.length > 1_000) lines.shift();
          onLine?.(line);
          const value = pattern.exec(line)?.[1];
          if (value !== undefined) resolve(value);
        });
    exited.then(([code, signal]) => {
      reject(new Error(`${command} exited with ${code ?? signal}:\n${lines.join("\n")}`));
    }, reject);
  });
  // A caller that does not await `ready` must not crash when the process exits.
  ready.catch(() => undefined);
  return {
    child,
    lines,
    ready,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      return (await exited)[0];
    },
  };
}
