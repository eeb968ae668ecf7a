import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDatabase } from "../test-database.ts";

/** The path of the main program of the reference platform. */
export const platformMain = join(import.meta.dirname, "../../examples/platform/src/main.ts");

/** A store that several platform processes share. */
export interface PlatformStore {
  /** The complete environment of the platform processes. */
  env: NodeJS.ProcessEnv;
  remove(): Promise<void>;
}

/** Creates a data folder with a seed, and a database if the store is PostgreSQL. Allows loopback URLs, and disables rate limits. */
export async function openPlatformStore(store: "pglite" | "postgres", seed: object): Promise<PlatformStore> {
  const folder = await mkdtemp(join(tmpdir(), "offers-platform-"));
  const database = store === "postgres" ? await createDatabase() : undefined;
  const seedFile = join(folder, "seed.json");
  await writeFile(seedFile, JSON.stringify(seed));
  return {
    env: {
      PATH: process.env.PATH,
      PORT: "0",
      DATABASE_URL: database?.url ?? "",
      OFFERS_DATA: join(folder, "data"),
      OFFERS_SEED: seedFile,
      OFFERS_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      OFFERS_ALLOW_LOOPBACK: "1",
      OFFERS_RATE_LIMIT: "off",
      OFFERS_PERSON_RATE_LIMIT: "off",
    },
    async remove() {
      await database?.drop();
      await rm(folder, { recursive: true });
    },
  };
}
