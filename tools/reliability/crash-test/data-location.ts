import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { storesUnderTest, type TestDatabase } from "../../../examples/platform/test/support/stores/stores.ts";
import { freePort } from "../../processes/free-port.ts";

export type StoreName = "pglite" | "postgres";

/** Where a run keeps its data: nothing was there before, and nothing is left. */
export interface DataLocation extends TestDatabase {
  /** `PGlite`, `PostgreSQL 15.20` */
  title: string;
  /** Restarts the database as after a crash; only where it is the run's own. */
  restart?: () => Promise<void>;
}

/** This machine has no such store. */
export class NoStoreError extends Error {
  override readonly name = "NoStoreError";
}

/**
 * @param isOwn whether the database must be one that may be restarted
 * @throws {NoStoreError} with a message that says what to do
 */
export async function openDataLocation(store: StoreName, isOwn: boolean): Promise<DataLocation> {
  if (store === "postgres" && isOwn) return openOwnPostgres();
  const stores = await storesUnderTest().catch((cause: unknown) => {
    throw new NoStoreError("no PostgreSQL responds at DATABASE_URL", { cause });
  });
  const found = stores[store === "pglite" ? 0 : 1];
  if (!found) throw new NoStoreError("no PostgreSQL responds at 127.0.0.1:5432; start one, or set DATABASE_URL");
  return { title: found.title, ...(await found.createDatabase()) };
}

async function openOwnPostgres(): Promise<DataLocation> {
  const programs = findPrograms();
  if (programs === undefined)
    throw new NoStoreError("--restarts needs a PostgreSQL of its own, and this machine has no initdb and pg_ctl");
  const cluster = await startTemporaryPostgres(programs);
  try {
    const [, postgres] = await storesUnderTest(cluster.databaseUrl);
    if (!postgres) throw new Error("the PostgreSQL that was started does not respond");
    const { options, remove } = await postgres.createDatabase();
    const removeAll = () => remove().finally(cluster.remove);
    return { title: postgres.title, options, restart: cluster.restart, remove: removeAll };
  } catch (error) {
    await cluster.remove();
    throw error;
  }
}

const execute = promisify(execFile);

/** A PostgreSQL of the run's own, which may be ended at will. */
export interface TemporaryPostgres {
  databaseUrl: string;
  /** In immediate mode: as after a crash. */
  restart(): Promise<void>;
  remove(): Promise<void>;
}

/** The folder of this machine's PostgreSQL programs, the newest; undefined when there are none. */
export function findPrograms(): string | undefined {
  // Debian keeps them off the path.
  for (const folder of ["/usr/lib/postgresql/*/bin", ...(process.env.PATH ?? "").split(delimiter)]) {
    const found = globSync(join(folder, "initdb")).sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
    if (found[0] !== undefined) return dirname(found[0]);
  }
  return undefined;
}

/** @param programs from `findPrograms` */
export async function startTemporaryPostgres(programs: string): Promise<TemporaryPostgres> {
  const folder = await mkdtemp(join(tmpdir(), "offers-postgres-"));
  const data = join(folder, "data");
  const owner = await ownerOf(folder);
  const run = async (program: string, ...args: string[]): Promise<void> => {
    await execute(join(programs, program), ["-D", data, ...args], { ...owner, cwd: folder, timeout: 120_000 });
  };
  const control = (...args: string[]): Promise<void> => run("pg_ctl", "-l", join(folder, "log"), "-w", ...args);
  const removeFolder = () => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  const port = await freePort();
  try {
    await run("initdb", "-U", "postgres", "-A", "trust", "--no-sync");
    await control("-o", `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder}`, "start");
  } catch (error) {
    await removeFolder();
    throw error;
  }
  const endAtExit = (): void => {
    const [pid] = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n");
    process.kill(Number(pid), "SIGQUIT");
  };
  process.once("exit", endAtExit);
  return {
    databaseUrl: `postgres://postgres@127.0.0.1:${port}/postgres`,
    restart: () => control("-m", "immediate", "restart"),
    async remove() {
      process.off("exit", endAtExit);
      // An interrupt of the run may have ended it already.
      await control("-m", "immediate", "stop").catch(() => undefined);
      await removeFolder();
    },
  };
}

/** Who runs PostgreSQL, and now owns `folder`: `postgres` for root, as which PostgreSQL refuses to run. */
async function ownerOf(folder: string): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const [uid = 0, gid = 0] = await Promise.all(
    ["-u", "-g"].map(async (flag) => Number((await execute("id", [flag, "postgres"])).stdout)),
  );
  await chown(folder, uid, gid);
  return { uid, gid };
}
