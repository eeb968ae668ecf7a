import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createLog } from "../../src/observability/log.ts";
import { demoSeedFile } from "../../src/seed/demo-sign-ins.ts";
import { packageFolder } from "../../src/settings/package-folder.ts";
import { readSettings } from "../../src/settings/settings.ts";
import { describeStartFailure, startPlatform } from "../../src/start-platform.ts";
import { type PlatformProcess, startProcess } from "../support/platform-process.ts";
import { storesUnderTest, type TestDatabase } from "../support/stores/stores.ts";
import { useDatabase } from "../support/use-opened.ts";

const [pglite, postgres] = await storesUnderTest();
const running: ChildProcess[] = [];
const databases: TestDatabase[] = [];

/** Creates a database, on PostgreSQL if it is reachable, because opening PGlite is slow. */
async function createDatabase(): Promise<TestDatabase> {
  const database = await (postgres ?? pglite).createDatabase();
  databases.push(database);
  return database;
}

/** Creates only a folder, for a process that fails before it opens its store. */
async function createFolder(): Promise<TestDatabase> {
  const dataFolder = await mkdtemp(join(tmpdir(), "offers-main-"));
  const database = { options: { dataFolder }, remove: () => rm(dataFolder, { recursive: true, force: true }) };
  databases.push(database);
  return database;
}

/** Starts a platform process that is killed after the tests if it is still running. */
function start(database: TestDatabase, environment: Record<string, string> = {}): PlatformProcess {
  const platform = startProcess(database, environment);
  running.push(platform.child);
  return platform;
}

/** Returns the settings of a platform with this database. */
const createSettings = ({ options }: TestDatabase) => ({
  PORT: "0",
  OFFERS_DATA: options.dataFolder,
  DATABASE_URL: options.databaseUrl ?? "",
});

/** Starts the platform, and expects the start to fail. @returns the error message */
async function readStartFailure(environment: Record<string, string>): Promise<string> {
  try {
    const platform = await startPlatform(readSettings(environment, packageFolder), createLog("silent"));
    await platform.close();
  } catch (error) {
    return String(describeStartFailure(error, environment.DATABASE_URL));
  }
  throw new Error("the platform started, although it should have failed");
}

function killIfRunning(child: ChildProcess): void {
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
}

afterEach(async () => {
  for (const child of running.splice(0)) killIfRunning(child);
  for (const database of databases.splice(0)) await database.remove();
});

describe("the platform's process", () => {
  // No test changes this database.
  const unchangedDatabase = useDatabase((postgres ?? pglite)?.createDatabase);
  const database = useDatabase(pglite.createDatabase);
  let sharedProcess: PlatformProcess;
  beforeAll(() => {
    sharedProcess = startProcess(database, { OFFERS_SEED: demoSeedFile });
  });
  afterAll(() => killIfRunning(sharedProcess.child));

  test("the platform does not start when its encryption key does not match the stored secrets, and reports that in one line", async () => {
    const environment = createSettings(await createDatabase());
    const platform = await startPlatform(readSettings(environment, packageFolder), createLog("silent"));
    await platform.close();
    const OFFERS_ENCRYPTION_KEY = Buffer.alloc(32, 1).toString("base64");
    expect(await readStartFailure({ ...environment, OFFERS_ENCRYPTION_KEY })).toMatch(
      /^OFFERS_ENCRYPTION_KEY is not the key that .*$/,
    );
    await rm(join(environment.OFFERS_DATA, "encryption.key"));
    expect(await readStartFailure(environment)).toMatch(/^\S+encryption\.key is not the key that .*$/);
  });

  test("the platform does not start when its data folder or port is in use, and reports that in one line [D-90]", async () => {
    const { port } = new URL(await sharedProcess.waitForAddress());
    const samePort = { ...createSettings(unchangedDatabase), PORT: port };
    expect(await readStartFailure(createSettings(database))).toMatch(/^the data folder \S+ is in use by another .*$/);
    expect(await readStartFailure(samePort)).toMatch(
      new RegExp(`^PORT: port ${port} on 127\\.0\\.0\\.1 is in use by another process .* set PORT to .*$`),
    );
  });

  // This runs after the tests of the shared process, because it stops that process.
  test("the platform logs its address, and its data is still there after a restart", async () => {
    const headers = { "X-UE-Api-Subscription-Key": "demo-key-harbour", "Content-Type": "application/json" };
    const body = JSON.stringify({ createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] });
    const created = await fetch(`${await sharedProcess.waitForAddress()}/offer`, { method: "POST", headers, body });
    expect(created.status).toBe(201);
    expect(sharedProcess.output.stdout).toContain(`(store PGlite in ${database.options.dataFolder})`);
    expect(sharedProcess.output.stdout).toContain(
      `sign in to the portal at ${await sharedProcess.waitForAddress()}/ as hana@`,
    );
    sharedProcess.child.kill("SIGTERM");
    expect(await sharedProcess.exited).toEqual({ code: 0, signal: null });
    for (const line of sharedProcess.output.stdout.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("msg");

    // The second process applies the seed again.
    const second = start(database, { OFFERS_SEED: demoSeedFile });
    const read = await fetch((await second.waitForAddress()) + created.headers.get("location"), { headers });
    expect(await read.json()).toMatchObject({ title: "Bar", recipients: [{ workerId: "worker_amal" }] });
    second.child.kill("SIGINT");
    expect(await second.exited).toEqual({ code: 0, signal: null });
  });

  const thisFile = import.meta.filename;
  test.each([
    [{ PORT: "http" }, /^Invalid PORT: expected a port .*; got http$/],
    [{ PORT: "65536" }, /^Invalid PORT: expected a port .*; got 65536$/],
    [
      { HOST: "192.0.2.1" },
      /^HOST: the platform cannot listen on 192\.0\.2\.1 \(EADDRNOTAVAIL\); set HOST to one of .*$/,
    ],
    [{ HOST: "nowhere.invalid" }, /^HOST: the host name nowhere\.invalid cannot be resolved \(\w+\); set HOST to .*$/],
    [
      { PORT: "4999", OFFERS_METRICS: "4999" },
      /^Invalid OFFERS_METRICS: expected a different port from PORT; got 4999$/,
    ],
    [
      { OFFERS_METRICS: "192.0.2.1:0" },
      /^OFFERS_METRICS: the platform cannot listen on 192\.0\.2\.1 \(EADDRNOTAVAIL\); .*$/,
    ],
    [{ OFFERS_DIALECT: "dead" }, /^Invalid OFFERS_DIALECT: expected one of reference, live; got dead$/],
    [{ OFFERS_DIALEKT: "live" }, /^Unknown setting OFFERS_DIALEKT; did you mean OFFERS_DIALECT\? .*$/],
    [{ OFFERS_SEED: "missing.json" }, /^OFFERS_SEED: missing.json .*$/],
    [{ OFFERS_ENCRYPTION_KEY: "short" }, /^OFFERS_ENCRYPTION_KEY is not 32 bytes in base64; .*$/],
    [
      { DATABASE_URL: "postgres://ann:s3cret@127.0.0.1:1/x" },
      /^DATABASE_URL: the database x at 127\.0\.0\.1:1 cannot be used \(ECONNREFUSED\): nothing is listening .*; start PostgreSQL, .*$/,
    ],
    [
      { DATABASE_URL: "postgres://ann:s3cret@127.0.0.1:1/x?sslrootcert=/s3cret" },
      /^DATABASE_URL: the database x .* \(ENOENT\): it refers to a file that does not exist; correct sslrootcert, .*$/,
    ],
    [
      { DATABASE_URL: "postgres://ann:s3cret@nowhere.invalid/x" },
      /^DATABASE_URL: the database x at nowhere\.invalid:5432 .*: its host name cannot be resolved; correct the host name$/,
    ],
    [
      { OFFERS_DATA: "/proc/x" },
      /^OFFERS_DATA: \/proc\/x cannot be used as the data folder: nothing can be created there \(ENOENT\); .*$/,
    ],
    [{ OFFERS_DATA: "/proc/x/y" }, /^OFFERS_DATA: \/proc\/x\/y cannot be used as the data folder: .* \(ENOENT\); .*$/],
    [
      { OFFERS_DATA: "/proc" },
      /^OFFERS_DATA: \/proc cannot be used as the data folder: .* \(\w+\); set OFFERS_DATA to .*$/,
    ],
    [
      { OFFERS_DATA: thisFile },
      /^OFFERS_DATA: \S+ cannot be used as the data folder: a file with that name exists \(EEXIST\); .*$/,
    ],
    [
      { OFFERS_DATA: `${thisFile}/below` },
      /^OFFERS_DATA: \S+ cannot be used as the data folder: part of its path is a file \(ENOTDIR\); .*$/,
    ],
  ] satisfies [Record<string, string>, RegExp][])(
    "the platform does not start with %o [D-90]",
    async (environment, message) => {
      // Some settings fail only after the store is open.
      const pgliteSettings = "OFFERS_DATA" in environment && { DATABASE_URL: "" };
      const failure = await readStartFailure({
        ...createSettings(unchangedDatabase),
        ...pgliteSettings,
        ...environment,
      });
      expect(failure).toMatch(message);
      expect(failure).not.toContain("s3cret");
    },
  );

  test("the platform prints in one line why it does not start, and exits with 1", async () => {
    const { exited, output } = start(await createFolder(), {
      DATABASE_URL: "postgres://ann:s3cret@127.0.0.1:1/x?sslrootcert=/s3cret",
    });
    expect((await exited).code).toBe(1);
    expect(output.stderr).toMatch(/^platform did not start: DATABASE_URL: the database x .* does not exist; [^\n]*\n$/);
    expect(output.stdout + output.stderr).not.toContain("s3cret");
  });

  test.skipIf(postgres === undefined)(
    "the start error explains what is wrong with the URL of a running database",
    async () => {
      const changeUrl = (change: (url: URL) => void): string => {
        const url = new URL(unchangedDatabase.options.databaseUrl ?? "");
        change(url);
        return url.href;
      };
      const failWithUrl = async (url: string) =>
        readStartFailure({ ...createSettings(await createFolder()), DATABASE_URL: url });
      const noDatabase = await failWithUrl(changeUrl((url) => (url.pathname = "/no_such")));
      const noRole = await failWithUrl(changeUrl((url) => (url.username = "no_such")));
      const noTls = await failWithUrl(changeUrl((url) => (url.search = "?sslmode=verify-full")));
      expect(noDatabase).toMatch(/the database no_such does not exist; create it with createdb no_such/);
      expect(noRole).toMatch(/the role no_such (does not exist|needs a password)/);
      expect(noTls).toMatch(/the server does not support TLS; remove sslmode|its certificate is not trusted/);
    },
  );

  test("the start error explains that a server does not respond like PostgreSQL", async () => {
    const server = createServer((socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const url = `postgres://postgres:s3cret@127.0.0.1:${port}/x`;
    const failure = await readStartFailure({ ...createSettings(await createFolder()), DATABASE_URL: url });
    expect(failure).toMatch(
      new RegExp(`^DATABASE_URL: .* 127\\.0\\.0\\.1:${port} does not respond like PostgreSQL; .*$`),
    );
    expect(failure).not.toContain("s3cret");
    server.close();
  });

  test("the platform warns about a public origin without trusted proxies [D-54]", async () => {
    const databaseSettings = createSettings(unchangedDatabase);
    const startAndReadLines = async (environment: Record<string, string>): Promise<string[]> => {
      const settings = { ...databaseSettings, OFFERS_PUBLIC_ORIGIN: "https://offers.example", ...environment };
      const lines: string[] = [];
      const log = createLog("info", { write: (line) => void lines.push(line) });
      const platform = await startPlatform(readSettings(settings, packageFolder), log);
      await platform.close();
      return lines.filter((line) => line.includes("OFFERS_TRUSTED_PROXIES") || line.includes("proxies_not_trusted"));
    };
    const warnings = (await startAndReadLines({})).map((line) => JSON.parse(line));
    expect(warnings).toMatchObject([{ level: 40, code: "proxies_not_trusted" }]);
    expect(await startAndReadLines({ OFFERS_TRUSTED_PROXIES: "1" })).toEqual([]);
  });
});
