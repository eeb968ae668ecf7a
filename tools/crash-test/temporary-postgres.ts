import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { chown, glob, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../free-port.ts";

const execute = promisify(execFile);

/** A PostgreSQL of the run's own, which may be ended at will. */
export interface TemporaryPostgres {
  databaseUrl: string;
  /** In immediate mode: as after a crash. */
  restart(): Promise<void>;
  remove(): Promise<void>;
}

/** The folder of this machine's PostgreSQL programs, the newest; undefined when there are none. */
export async function findPrograms(): Promise<string | undefined> {
  const folders = (process.env.PATH ?? "").split(delimiter);
  // Debian keeps them off the path.
  for (const pattern of ["/usr/lib/postgresql/*/bin", ...folders]) {
    const found: string[] = [];
    for await (const file of glob(join(pattern, "initdb"))) found.push(file);
    const [newest] = found.sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
    if (newest !== undefined) return dirname(newest);
  }
  return undefined;
}

/** @param programs from `findPrograms` */
export async function startTemporaryPostgres(programs: string): Promise<TemporaryPostgres> {
  const folder = await mkdtemp(join(tmpdir(), "offers-postgres-"));
  const run = await runnerFor(folder);
  const data = join(folder, "data");
  const control = (...args: string[]): Promise<void> =>
    run(join(programs, "pg_ctl"), ["-D", data, "-l", join(folder, "log"), "-w", ...args]);
  const removeFolder = () => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  const port = await freePort();
  try {
    await run(join(programs, "initdb"), ["-D", data, "-U", "postgres", "-A", "trust", "--no-sync"]);
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

/** Runs a program as the owner of `folder`: as `postgres` for root, as which PostgreSQL refuses to run. */
async function runnerFor(folder: string): Promise<(program: string, args: string[]) => Promise<void>> {
  const options = { cwd: folder, timeout: 120_000 };
  if (process.getuid?.() !== 0)
    return async (program, args) => {
      await execute(program, args, options);
    };
  const [uid, gid] = await Promise.all(
    ["-u", "-g"].map(async (flag) => (await execute("id", [flag, "postgres"])).stdout),
  );
  await chown(folder, Number(uid), Number(gid));
  return async (program, args) => {
    await execute("runuser", ["-u", "postgres", "--", program, ...args], options);
  };
}
