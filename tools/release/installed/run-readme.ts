import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ReadmeProgram, readmeProgram } from "../../packed/readme-program.ts";
import { signedStatuses } from "../../packed/signed-statuses.ts";
import { startDemoPlatform } from "../../processes/demo-platform.ts";
import { freePort } from "../../processes/free-port.ts";
import { runCommand } from "../../processes/run-command.ts";

const secret = "2b5f0e0e-4b0c-4f57-9d2a-6a3c1e6f7d10";

/** Writes both programs into a project, as `call` and `receive` with this extension. */
export async function writeReadmePrograms(
  project: string,
  extension: string,
  compile: (code: string) => string = (code) => code,
): Promise<void> {
  for (const program of ["call", "receive"] as const)
    await writeFile(join(project, `${program}.${extension}`), compile(readmeProgram(program)));
}

/**
 * Runs both: against the reference platform, and against requests that openssl signed.
 *
 * @throws when one does not do what README.md says
 */
export async function runReadmePrograms(
  project: string,
  commandOf: (program: ReadmeProgram) => readonly [command: string, ...args: string[]],
): Promise<void> {
  const platform = await startDemoPlatform();
  try {
    const [command, ...args] = commandOf("call");
    const env = { ...process.env, SERVICE_ADDRESS: platform.address };
    const printed = await runCommand(command, args, { cwd: project, env });
    // Bun prints strings in double quotes.
    if (printed.replaceAll('"', "'") !== "[ 'Amal Haddad: none' ]\n")
      throw new Error(`README.md's call printed ${printed}`);
  } finally {
    await platform.stop();
  }
  const port = await freePort();
  const [command, ...args] = commandOf("receive");
  const env = { ...process.env, SECRET: secret, PORT: String(port) };
  // A group of its own: Yarn starts Node as another process.
  const receiver = spawn(command, args, { cwd: project, env, stdio: "ignore", detached: true });
  try {
    const statuses = await signedStatuses(`http://127.0.0.1:${port}/offers`, secret);
    if (statuses.join() !== "200,401,401,401") throw new Error(`README.md's receiver responded with ${statuses}`);
  } finally {
    if (receiver.pid !== undefined) process.kill(-receiver.pid, "SIGKILL");
  }
}
