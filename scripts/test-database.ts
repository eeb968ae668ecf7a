import { randomUUID } from "node:crypto";
import pg from "pg";

const defaultUrl = process.env.DATABASE_URL || "postgres://postgres@127.0.0.1:5432/postgres";

const servers = new Map<string, pg.Pool>();

/**
 * Returns a pool of connections for creating and dropping databases. Later tests in this process reuse the pool, because connecting is
 * expensive. It does not keep the process alive.
 */
export function getServerPool(url = defaultUrl): pg.Pool {
  let server = servers.get(url);
  if (server === undefined) {
    // By default, a server has enough connections for two runs that end at the same time.
    const limits = { max: 45, idleTimeoutMillis: 0, connectionTimeoutMillis: 30_000 };
    server = new pg.Pool({ connectionString: url, allowExitOnIdle: true, ...limits });
    // The next query reports the error.
    server.on("error", () => undefined);
    servers.set(url, server);
  }
  return server;
}

/** Whether PostgreSQL responds; otherwise the tests that need it are skipped. @throws if `DATABASE_URL` is set and nothing responds there */
export const isPostgresRunning = (): Promise<boolean> =>
  getServerPool()
    .query("select")
    .then(
      () => true,
      (cause: unknown) => {
        if (process.env.DATABASE_URL) throw new Error("No PostgreSQL server is responding at DATABASE_URL.", { cause });
        return false;
      },
    );

/** Returns the name of this vitest run's template database, if it is on this server. Databases named after it are dropped after the run. */
function findTemplate(url: string): string | undefined {
  const template = process.env.TEST_DATABASE_TEMPLATE;
  if (template === undefined || new URL(template).host !== new URL(url).host) return undefined;
  return new URL(template).pathname.slice(1);
}

interface CreatedDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/**
 * Creates a database. A vitest run drops all its databases together at the end, because each drop waits for a checkpoint.
 *
 * @param tables `migrated` creates the platform's tables, but only in a vitest run
 * @param serverUrl the URL of a database on the same server
 * @returns a new database
 */
export async function createDatabase(
  tables: "migrated" | "none" = "none",
  serverUrl = defaultUrl,
): Promise<CreatedDatabase> {
  const server = getServerPool(serverUrl);
  const template = findTemplate(serverUrl);
  const id = randomUUID().replaceAll("-", "");
  const name = template ? `${template}_${id.slice(-12)}` : `offers_test_${id}`;
  await server.query(`create database ${name} ${template && tables === "migrated" ? copyClause(template) : ""}`);
  // A test's commits need not survive a crash of the server.
  if (template) await server.query(`alter database ${name} set synchronous_commit to off`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const drop = async () => {
    if (!template) await dropDatabase(server, name);
  };
  return { url: url.href, drop };
}

/**
 * Returns the clause that copies a template's files, which is cheaper for small databases than copying through the log, PostgreSQL's
 * default since 15.
 */
const copyClause = (template: string): string => `template ${template} strategy file_copy`;

const dropDatabase = (server: pg.Pool, name: string): Promise<unknown> =>
  server.query(`drop database if exists ${name} with (force)`);

/** Drops this run's databases. PostgreSQL makes a checkpoint for each drop; concurrent drops share one. */
export async function dropDatabases(): Promise<void> {
  const template = findTemplate(defaultUrl);
  if (template === undefined) return;
  const server = getServerPool();
  const { rows } = await server.query<{ name: string }>(
    "select datname as name from pg_database where starts_with(datname, $1)",
    [`${template}_`],
  );
  await Promise.all(rows.map(({ name }) => dropDatabase(server, name)));
}
