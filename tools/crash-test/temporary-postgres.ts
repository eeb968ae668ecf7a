import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../processes/free-port.ts";

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
