import { randomUUID } from "node:crypto";

/** An organisation with an endpoint of its own. */
export interface TorturedOrganisation {
  id: string;
  apiKey: string;
  personId: string;
  emailAddress: string;
  /** Of its endpoint. */
  secret: string;
}

/** Who takes part in a run. */
export interface Cast {
  organisations: TorturedOrganisation[];
  workerIds: string[];
  /** Of every person and worker. */
  password: string;
}

export function makeCast(organisations: number, workers: number): Cast {
  return {
    organisations: Array.from({ length: organisations }, (_, index) => ({
      id: `org_${index + 1}`,
      apiKey: `key-${randomUUID()}`,
      personId: `user_${index + 1}`,
      emailAddress: `person.${index + 1}@torture.example`,
      secret: randomUUID(),
    })),
    workerIds: Array.from({ length: workers }, (_, index) => `worker_${index + 1}`),
    password: randomUUID(),
  };
}

/** The same as a file for `OFFERS_SEED`. */
export const seedOf = ({ organisations, workerIds, password }: Cast) => ({
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
