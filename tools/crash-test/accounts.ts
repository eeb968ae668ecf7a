import { randomUUID } from "node:crypto";

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
