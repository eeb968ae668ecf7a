import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, globSync } from "node:fs";
import { chmod, copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { findFreePort } from "./free-port.ts";

const run = promisify(execFile);

/** The Debian package does not put the server programs on the PATH. */
const programFolder = globSync("/usr/lib/postgresql/*/bin").sort().at(-1) ?? "";

export const hasPostgresServer = existsSync(join(programFolder, "initdb"));

/** Finds the user that runs the server. PostgreSQL refuses to run as root. @returns `{}` for the current user */
function findServerUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const readId = (flag: string): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: readId("-u"), gid: readId("-g") };
}

/** A PostgreSQL server that a test can start on loopback, kill, and remove with its data. */
export class OwnPostgres {
  readonly port: number;
  readonly dataFolder: string;
  readonly #settings: readonly string[];
  #child: ChildProcess | undefined;

  private constructor(port: number, dataFolder: string, settings: readonly string[]) {
    this.port = port;
    this.dataFolder = dataFolder;
    this.#settings = settings;
  }

  /** Creates and starts a server. @param settings server settings, such as `max_connections=50` */
  static async create(settings: readonly string[] = []): Promise<OwnPostgres> {
    const server = new OwnPostgres(await findFreePort(), await createDataFolder(), settings);
    await runServerProgram("initdb", "-D", server.dataFolder, "-U", "postgres", "-A", "trust", "--no-sync");
    await server.start();
    return server;
  }

  /**
   * Creates and starts a standby that follows a primary.
   *
   * @param name the name of the standby in the primary's `synchronous_standby_names`
   */
  static async createStandby(
    primary: OwnPostgres,
    name: string,
    settings: readonly string[] = [],
  ): Promise<OwnPostgres> {
    const standby = new OwnPostgres(await findFreePort(), await createDataFolder(), settings);
    const connection = `host=127.0.0.1 port=${primary.port} user=postgres application_name=${name}`;
    await runServerProgram(
      "pg_basebackup",
      "-D",
      standby.dataFolder,
      "-d",
      connection,
      "-R",
      "-X",
      "stream",
      "-c",
      "fast",
      "--no-sync",
    );
    await standby.start();
    return standby;
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** Starts the server, and waits until it responds. @throws if it exits first */
  async start(): Promise<void> {
    const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", ...this.#settings];
    const child = spawn(
      join(programFolder, "postgres"),
      ["-D", this.dataFolder, "-p", String(this.port), ...settings.flatMap((setting) => ["-c", setting])],
      { stdio: ["ignore", "ignore", "pipe"], cwd: tmpdir(), ...findServerUser() },
    );
    this.#child = child;
    let log = "";
    child.stderr.on("data", (chunk: Buffer) => {
      log = (log + chunk).slice(-4_000);
    });
    while (!(await this.isResponding())) {
      // The backends of a killed server take a moment to exit. Until then, the next server cannot start.
      if (child.exitCode !== null && /shared memory block/.test(log)) return pause(100).then(() => this.start());
      if (child.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${log}`);
      await pause(50);
    }
  }

  /** Copies a file, such as a certificate or its key, into the data folder. Only the server can read it. */
  async addFile(source: string, name: string): Promise<void> {
    const target = join(this.dataFolder, name);
    await copyFile(source, target);
    await chmod(target, 0o600);
    chownToServer(target);
  }

  async query(sql: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 2_000 });
    // The query reports the error.
    client.on("error", () => undefined);
    await client.connect();
    const { rows } = await client.query(sql).finally(() => client.end());
    return rows;
  }

  isResponding(): Promise<boolean> {
    return this.query("select").then(
      () => true,
      () => false,
    );
  }

  /** Kills the server with SIGKILL. Its backends then exit too. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.dataFolder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

async function createDataFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "offers-postgres-"));
  chownToServer(path);
  return path;
}

/** Makes the server's user the owner of a file or folder. Does nothing unless this process runs as root. */
function chownToServer(path: string): void {
  const { uid, gid } = findServerUser();
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

const runServerProgram = (program: string, ...args: string[]): Promise<unknown> =>
  run(join(programFolder, program), args, { cwd: tmpdir(), ...findServerUser() });
