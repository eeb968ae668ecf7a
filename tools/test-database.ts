import { randomUUID } from "node:crypto";
import pg from "pg";

const serverUrl = process.env.DATABASE_URL || "postgres://postgres@127.0.0.1:5432/postgres";

async function withClient<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: serverUrl, connectionTimeoutMillis: 2_000 });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Without `DATABASE_URL` and without a PostgreSQL on this machine, its tests are skipped. */
export const findPostgres = (): Promise<boolean> =>
  withClient(async () => true).catch((cause: unknown) => {
    if (process.env.DATABASE_URL) throw new Error("No PostgreSQL responds at DATABASE_URL.", { cause });
    return false;
  });

/** The template database of this run of vitest, when it is on this server. What is named after it is dropped at the run's end. */
export function templateAt(server: string): string | undefined {
  const url = process.env.TEST_DATABASE_TEMPLATE;
  return url !== undefined && new URL(url).host === new URL(server).host ? new URL(url).pathname.slice(1) : undefined;
}

/**
 * In a run of vitest, the database is dropped with all others at its end: each drop waits for a checkpoint.
 *
 * @returns the address of a new, empty database
 */
export async function createDatabase(): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const id = randomUUID().replaceAll("-", "");
  const template = templateAt(serverUrl);
  const name = template ? `${template}_${id.slice(-12)}` : `offers_inbox_${id}`;
  await withClient((client) => client.query(`create database ${name}`));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const drop = async () => {
    if (!template) await withClient((client) => client.query(`drop database if exists ${name} with (force)`));
  };
  return { url: url.href, drop };
}
