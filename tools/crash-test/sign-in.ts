import type { Accounts } from "./accounts.ts";
import type { PlatformClient } from "./platform-client.ts";

/** Tokens of the workers, by id. */
export type Tokens = ReadonlyMap<string, string>;

const parallel = 2;

/** Signs the workers in, and gives each organisation its endpoint below `baseAddress`. */
export async function signIn(
  client: PlatformClient,
  { organisations, workerIds, password }: Accounts,
  baseAddress: string,
  signal: AbortSignal,
): Promise<Tokens> {
  const tokens = new Map<string, string>();
  const signIn = async (path: string, credentials: object): Promise<string> => {
    const text = await client.retryUntilDone({ method: "POST", path, json: { ...credentials, password } }, { signal });
    if (text === undefined) throw new Error("signing in failed");
    return JSON.parse(text).token;
  };
  for (const { id, emailAddress, secret } of organisations) {
    const token = await signIn("/portal/session", { emailAddress });
    const json = { baseAddress: `${baseAddress}/${id}`, secret, suggestsContacts: false };
    const saved = await client.retryUntilDone({ method: "PUT", path: "/portal/profile", token, json }, { signal });
    if (saved === undefined) throw new Error(`${id} cannot save its profile`);
  }
  // A few at once: passwords are slow to check.
  const waiting = [...workerIds];
  const signInNext = async (): Promise<void> => {
    for (let workerId = waiting.pop(); workerId !== undefined; workerId = waiting.pop())
      tokens.set(workerId, await signIn("/worker-app/session", { workerId }));
  };
  await Promise.all(Array.from({ length: parallel }, signInNext));
  return tokens;
}
