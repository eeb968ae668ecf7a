import { execFile, spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { startDemoPlatform } from "../../processes/demo-platform.ts";
import { findFreePort } from "../../processes/free-port.ts";
import { loadReadmeProgram, type ModuleSystem } from "../packages/readme-program.ts";

const secret = "2b5f0e0e-4b0c-4f57-9d2a-6a3c1e6f7d10";

/**
 * Runs the two programs from README.md in a project that contains the packages. One calls the reference platform, and the other receives
 * requests that openssl has signed.
 *
 * @throws if a program does not do what README.md says
 */
export async function runReadmePrograms(
  project: string,
  [file, compile]: ModuleSystem,
  node = process.execPath,
): Promise<void> {
  const script = join(project, file);
  await writeFile(script, compile(loadReadmeProgram("call")));
  const platform = await startDemoPlatform();
  try {
    const env = { ...process.env, SERVICE_ADDRESS: platform.address };
    const { stdout } = await promisify(execFile)(node, [script], { env });
    if (stdout !== "[ 'Amal Haddad: none' ]\n") throw new Error(`README.md's first program printed ${stdout}`);
  } finally {
    await platform.stop();
  }
  await writeFile(script, compile(loadReadmeProgram("receive")));
  const port = await findFreePort();
  const env = { ...process.env, SECRET: secret, PORT: String(port) };
  const receiver = spawn(node, [script], { env, stdio: "inherit" });
  try {
    const statuses = await sendTestRequests(`http://127.0.0.1:${port}/offers`);
    if (statuses.join() !== "200,401,401,401") throw new Error(`README.md's receiver responded with ${statuses}`);
  } finally {
    receiver.kill("SIGKILL");
  }
}

/**
 * Sends four requests to the receiver: one that openssl signed, one with a different timestamp, one with a wrong secret, and an unsigned
 * one.
 *
 * @returns the statuses of the responses
 */
async function sendTestRequests(address: string): Promise<readonly number[]> {
  await waitFor200(`${address}/test`);
  const timestamp = new Date().toISOString();
  const fetchStatus = async (headers: Record<string, string>) =>
    (await fetch(`${address}/test/auth`, { headers })).status;
  const authorization = `hmac ${await computeOpensslDigest(timestamp + secret)}`;
  return [
    await fetchStatus({ timestamp, authorization }),
    await fetchStatus({ timestamp: new Date(Date.now() + 1_000).toISOString(), authorization }),
    await fetchStatus({ timestamp, authorization: `hmac ${await computeOpensslDigest(`${timestamp}another`)}` }),
    await fetchStatus({}),
  ];
}

async function computeOpensslDigest(text: string): Promise<string> {
  const digest = promisify(execFile)("openssl", ["dgst", "-sha256", "-r"]);
  digest.child.stdin?.end(text);
  // The output also contains the name of the input, after the 64 hexadecimal digits.
  return (await digest).stdout.slice(0, 64);
}

async function waitFor200(address: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const response = await fetch(address).catch(() => undefined);
    if (response?.status === 200) return;
    await sleep(100);
  }
  throw new Error(`${address} does not respond with 200`);
}
