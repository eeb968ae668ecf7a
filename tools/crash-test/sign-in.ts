import type { Accounts } from "./accounts.ts";
import { bearer, type PlatformClient } from "./platform-client.ts";

/**
 * Signs the workers in, and gives each organisation its endpoint below `baseAddress`.
 *
 * @returns the workers' tokens, by id
 */
export async function signIn(
  client: PlatformClient,
  { organisations, workerIds, password }: Accounts,
  baseAddress: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const tokenFor = async (path: string, credentials: object): Promise<string> => {
    const text = await client.retryUntilDone({ method: "POST", path, json: { ...credentials, password } }, { signal });
    if (text === undefined) throw new Error("signing in failed");
    return JSON.parse(text).token;
  };
  for (const { id, emailAddress, secret } of organisations) {
    const headers = bearer(await tokenFor("/portal/session", { emailAddress }));
    const json = { baseAddress: `${baseAddress}/${id}`, secret, suggestsContacts: false };
    const saved = await client.retryUntilDone({ method: "PUT", path: "/portal/profile", headers, json }, { signal });
    if (saved === undefined) throw new Error(`${id} cannot save its profile`);
  }
  const tokens = new Map<string, string>();
  for (const workerId of workerIds) tokens.set(workerId, await tokenFor("/worker-app/session", { workerId }));
  return tokens;
}
