import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type StoreUnderTest, storesUnderTest, type TestDatabase } from "./stores.ts";

/**
 * Returns PostgreSQL behind PgBouncer in transaction mode. Each database gets its own PgBouncer process, which opens fewer connections to
 * PostgreSQL than the platform's processes open to PgBouncer.
 */
export async function postgresBehindPgBouncer(): Promise<StoreUnderTest> {
  const [, postgres] = await storesUnderTest();
  if (postgres === undefined)
    throw new Error("no PostgreSQL server responds at 127.0.0.1:5432; start one, or set DATABASE_URL");
  return {
    title: `PgBouncer in transaction mode in front of ${postgres.title}`,
    async createDatabase(tables) {
      const database = await postgres.createDatabase(tables);
      return startPgBouncer(database, database.options.databaseUrl ?? "");
    },
  };
}

async function startPgBouncer({ options, remove }: TestDatabase, postgresUrl: string): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), "offers-pgbouncer-"));
  const configFile = join(folder, "pgbouncer.ini");
  const databaseUrl = new URL(postgresUrl);
  databaseUrl.host = `127.0.0.1:${await findFreePort()}`;
  await writeFile(configFile, formatConfig(new URL(postgresUrl), databaseUrl.port));
  // PgBouncer refuses to run as root, but can switch to a different user.
  const userFlags = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const child = spawn("/usr/sbin/pgbouncer", [...userFlags, configFile], { stdio: ["ignore", "ignore", "pipe"] });
  const exited = once(child, "exit");
  const lines: string[] = [];
  await new Promise<void>((resolve, reject) => {
    child.once("error", (cause) => reject(new Error("install the Debian package pgbouncer", { cause })));
    exited.then(() => reject(new Error(`PgBouncer exited:\n${lines.join("\n")}`)), reject);
    createInterface({ input: child.stderr }).on("line", (line) => {
      lines.push(line);
      if (/process up/.test(line)) resolve();
    });
  });
  return {
    options: { ...options, databaseUrl: databaseUrl.href, listenUrl: postgresUrl },
    async remove() {
      child.kill("SIGQUIT");
      await exited;
      await rm(folder, { recursive: true, force: true });
      await remove();
    },
  };
}

const formatConfig = ({ hostname, port, username }: URL, listenPort: string): string => `[databases]
* = host=${hostname} port=${port} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 5
`;

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
