import { randomUUID } from "node:crypto";
import { bearer, type PlatformClient } from "./platform-client.ts";

/** An organisation with an endpoint of its own. */
export interface Organisation {
  id: string;
  apiKey: string;
  personId: string;
  emailAddress: string;
  /** Of its endpoint. */
  secret: string;
  /** Whether it gets few events, so that no later event soon makes up for a lost wake-up. */
  isQuiet: boolean;
}

/** The organisations and workers of a run. */
export interface Accounts {
  organisations: Organisation[];
  workerIds: string[];
  /** Of every person and worker. */
  password: string;
}

/** @param quiet how many of the organisations get few events */
export function makeAccounts(organisations: number, quiet: number, workers: number): Accounts {
  return {
    organisations: Array.from({ length: organisations }, (_, index) => ({
      id: `org_${index + 1}`,
      apiKey: `key-${randomUUID()}`,
      personId: `user_${index + 1}`,
      emailAddress: `person.${index + 1}@crash-test.example`,
      secret: randomUUID(),
      isQuiet: index >= organisations - quiet,
    })),
    workerIds: Array.from({ length: workers }, (_, index) => `worker_${index + 1}`),
    password: randomUUID(),
  };
}

/** The same as a file for `OFFERS_SEED`. */
export const seedOf = ({ organisations, workerIds, password }: Accounts) => ({
  organisations: organisations.map(({ id, apiKey }) => ({ id, name: id, kind: "hirer", apiKeys: [apiKey] })),
  people: organisations.map(({ id, personId, emailAddress }) => ({
    id: personId,
    organisationId: id,
    name: personId,
    emailAddresses: [emailAddress],
    password,
  })),
  workers: workerIds.map((id) => ({ id, name: id, devices: ["ios"], password })),
});

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
