import { randomUUID } from "node:crypto";
import pg from "pg";

const defaultUrl = process.env.DATABASE_URL || "postgres://postgres@127.0.0.1:5432/postgres";

const serverPools = new Map<string, pg.Pool>();

/**
 * Returns a pool of connections for creating and dropping databases. Later tests in this process reuse the pool, because connecting is
 * expensive. It does not keep the process alive.
 */
export function getServerPool(url = defaultUrl): pg.Pool {
  let pool = serverPools.get(url);
  if (pool === undefined) {
    // With this limit, a server with default settings has enough connections for two runs that end at the same time.
    const limits = { max: 45, idleTimeoutMillis: 0, connectionTimeoutMillis: 30_000 };
    pool = new pg.Pool({ connectionString: url, allowExitOnIdle: true, ...limits });
    // The next query reports the error.
    pool.on("error", () => undefined);
    serverPools.set(url, pool);
  }
  return pool;
}

/** Whether PostgreSQL responds. If not, the tests that need it are skipped. @throws if `DATABASE_URL` is set but nothing responds there */
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
 * Creates a database. In a vitest run with a template, `drop` does nothing, because each drop waits for a checkpoint. `dropDatabases` drops
 * all databases of the run together.
 *
 * @param tables `migrated` creates the platform's tables, but only in a vitest run with a template
 * @param serverUrl the URL of any database on the server
 */
export async function createDatabase(
  tables: "migrated" | "none" = "none",
  serverUrl = defaultUrl,
): Promise<CreatedDatabase> {
  const serverPool = getServerPool(serverUrl);
  const template = findTemplate(serverUrl);
  const id = randomUUID().replaceAll("-", "");
  const name = template ? `${template}_${id.slice(-12)}` : `offers_test_${id}`;
  const copyClause = template && tables === "migrated" ? formatCopyClause(template) : "";
  await serverPool.query(`create database ${name} ${copyClause}`);
  // A test's commits need not survive a crash of the server.
  if (template) await serverPool.query(`alter database ${name} set synchronous_commit to off`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const drop = async () => {
    if (!template) await dropDatabase(serverPool, name);
  };
  return { url: url.href, drop };
}

/** Formats the clause that copies a template file by file. For a small database, this is cheaper than PostgreSQL's default strategy. */
const formatCopyClause = (template: string): string => `template ${template} strategy file_copy`;

const dropDatabase = (serverPool: pg.Pool, name: string): Promise<unknown> =>
  serverPool.query(`drop database if exists ${name} with (force)`);

/** Drops the databases that this vitest run created from its template. The drops run concurrently, so that they share a checkpoint. */
export async function dropDatabases(): Promise<void> {
  const template = findTemplate(defaultUrl);
  if (template === undefined) return;
  const serverPool = getServerPool();
  const { rows } = await serverPool.query<{ name: string }>(
    "select datname as name from pg_database where starts_with(datname, $1)",
    [`${template}_`],
  );
  await Promise.all(rows.map(({ name }) => dropDatabase(serverPool, name)));
}
