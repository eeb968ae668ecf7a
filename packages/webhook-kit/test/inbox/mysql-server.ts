import { randomUUID } from "node:crypto";
import { createConnection } from "mysql2/promise";

const serverUrl = process.env.MYSQL_URL || "mysql://root@127.0.0.1:3306/mysql";

/**
 * Returns whether MySQL or MariaDB is available at `MYSQL_URL` or, if that is not set, on this machine as root.
 *
 * @throws if `MYSQL_URL` is set but no server responds there
 */
export async function hasMysql(): Promise<boolean> {
  try {
    const connection = await createConnection({ uri: serverUrl, connectTimeout: 2_000 });
    await connection.end();
    return true;
  } catch (cause) {
    if (process.env.MYSQL_URL) throw new Error("No MySQL responds at MYSQL_URL.", { cause });
    return false;
  }
}

/** Creates an empty database, and returns its URL and a function that drops it. */
export async function createMysqlDatabase(): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const name = `offers_inbox_${randomUUID().replaceAll("-", "")}`;
  const run = async (sql: string) => {
    const connection = await createConnection(serverUrl);
    await connection.query(sql);
    await connection.end();
  };
  await run(`CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => run(`DROP DATABASE IF EXISTS ${name}`) };
}
