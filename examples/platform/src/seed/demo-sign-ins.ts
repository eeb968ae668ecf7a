import { join, resolve } from "node:path";
import { packageFolder } from "../settings/package-folder.ts";
import { readSeedFile } from "./seed-file.ts";

export const demoSeedFile = join(packageFolder, "seed", "demo.json");

/** Returns whether a seed file is the demo file. Only the accounts in the demo file may be logged or shown. */
export const isDemoSeed = (seedFile: string | undefined): seedFile is string =>
  seedFile !== undefined && resolve(seedFile) === demoSeedFile;

/** Describes the demo accounts in one line. @returns undefined for any other seed file, because real accounts must not be logged */
export async function describeDemoSignIns(seedFile: string | undefined, address: string): Promise<string | undefined> {
  if (!isDemoSeed(seedFile)) return undefined;
  const { people, workers } = await readSeedFile(seedFile);
  // All demo accounts have the same password.
  const password = people[0]?.password;
  const emailAddresses = people.map((person) => person.emailAddresses[0] ?? "");
  const workerIds = workers.map(({ id }) => id);
  return (
    `sign in to the portal at ${address}/ as ${joinWithOr(emailAddresses)}, to the worker's app at ${address}/app as ` +
    `${joinWithOr(workerIds)}; the password is ${password}`
  );
}

const joinWithOr = (names: string[]): string => new Intl.ListFormat("en", { type: "disjunction" }).format(names);
