import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

/** The statuses with which a receiver responds to what openssl signed, to another time, to another secret, to no headers. */
export async function signedStatuses(address: string, secret: string): Promise<readonly number[]> {
  await waitFor(`${address}/test`);
  const timestamp = new Date().toISOString();
  const status = async (headers: Record<string, string>) => (await fetch(`${address}/test/auth`, { headers })).status;
  const authorization = `hmac ${await opensslDigest(timestamp + secret)}`;
  return [
    await status({ timestamp, authorization }),
    await status({ timestamp: new Date(Date.now() + 1_000).toISOString(), authorization }),
    await status({ timestamp, authorization: `hmac ${await opensslDigest(`${timestamp}another`)}` }),
    await status({}),
  ];
}

async function opensslDigest(text: string): Promise<string> {
  const digest = promisify(execFile)("openssl", ["dgst", "-sha256", "-r"]);
  digest.child.stdin?.end(text);
  return (await digest).stdout.slice(0, 64);
}

async function waitFor(address: string): Promise<void> {
  for (let left = 200; left > 0; left--) {
    const response = await fetch(address).catch(() => undefined);
    if (response?.status === 200) return;
    await sleep(100);
  }
  throw new Error(`${address} does not respond with 200`);
}
