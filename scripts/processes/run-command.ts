import { execFile } from "node:child_process";
import { basename } from "node:path";
import { promisify } from "node:util";

export interface CommandOptions {
  cwd: string;
  env?: Record<string, string | undefined>;
  timeoutMs?: number;
}

/**
 * Runs a command until it exits.
 *
 * @returns the standard output of the command
 * @throws an error that contains the output if the command fails
 */
export const runCommand = (command: string, args: readonly string[], options: CommandOptions): Promise<string> =>
  new Promise((resolve, reject) => {
    const { cwd, env = process.env, timeoutMs = 600_000 } = options;
    execFile(command, args, { cwd, env, timeout: timeoutMs, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const names = [command, ...args].map((word) => basename(word));
      reject(new Error(`${names.join(" ")} failed: ${`${stdout}${stderr}`.trim()}`));
    });
  });

/** Installs a release of Node 20.19, the oldest version that the packages support. @returns the path of its binary */
export async function installOldestNode(): Promise<string> {
  const { stdout } = await promisify(execFile)("npx", [
    "--yes",
    "-p",
    "node@20.19.6",
    "-c",
    "node -p process.execPath",
  ]);
  return stdout.trim();
}
