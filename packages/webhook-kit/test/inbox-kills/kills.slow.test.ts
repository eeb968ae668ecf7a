import { randomInt, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { PGlite } from "@electric-sql/pglite";
import { createPool } from "mysql2/promise";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { createDatabase, isPostgresRunning } from "../../../../scripts/test-database.ts";
import { inboxMigration as mysqlMigration } from "../../src/mysql.ts";
import { inboxMigration } from "../../src/postgres.ts";
import { inboxMigration as sqliteMigration } from "../../src/sqlite.ts";
import { createMysqlDatabase, hasMysql } from "../inbox/mysql-server.ts";
import { createSignedRequest, whsec } from "../signature/standard-signed.ts";
import { KilledReceiver } from "./killed-receiver.ts";
import { type Handle, type KilledReceiverSetup, type Stage, stages } from "./messages.ts";

const postgresKillCount = Number(process.env.KILLS ?? 200);
const pgliteKillCount = Number(process.env.PGLITE_KILLS ?? 30);
/** The number of kills for every other library and database. */
const otherKillCount = Number(process.env.OTHER_KILLS ?? 60);

/** How many events a run sent, lost and handled more than once, and how often it killed a receiver at each stage. */
interface Tally {
  readonly events: number;
  readonly kills: Readonly<Record<Stage, number>>;
  readonly lost: number;
  readonly handledTwice: number;
}

/** Sends two events for each kill. While every second event is handled, its receiver is killed at one of the stages. */
async function runWithKills(
  setup: KilledReceiverSetup,
  receiverCount: number,
  killCount: number,
  readHandled: () => Promise<string[]>,
): Promise<Tally> {
  const pendingKills = new Map<string, Stage>();
  const killsByStage: Record<Stage, number> = { row: 0, commit: 0, response: 0 };
  /** Returns whether to kill the receiver at this stage of the event, and if so, counts the kill. */
  const claimKill = (stage: Stage, event: string): boolean => {
    if (pendingKills.get(event) !== stage) return false;
    pendingKills.delete(event);
    killsByStage[stage] += 1;
    return true;
  };
  const receivers = Array.from({ length: receiverCount }, () => new KilledReceiver(setup, claimKill));
  const events = Array.from({ length: 2 * killCount }, () => randomUUID());
  for (const [index, event] of events.entries())
    if (index % 2 === 0) pendingKills.set(event, stages[(index / 2) % stages.length] as Stage);
  const queue = events.values();
  const deliverQueuedEvents = async (): Promise<void> => {
    for (const event of queue) await deliverEvent(receivers, event);
  };
  // Uses two senders for each receiver, so that other events are in progress when a receiver is killed.
  await Promise.all(Array.from({ length: 2 * receiverCount }, deliverQueuedEvents));
  for (const receiver of receivers) await receiver.stop();

  return { events: events.length, kills: killsByStage, ...compareEvents(events, await readHandled()) };
}

/** Counts the sent events that were never handled, and those that were handled more than once. */
function compareEvents(
  sentEvents: readonly string[],
  handledEvents: readonly string[],
): Pick<Tally, "lost" | "handledTwice"> {
  const counts = new Map<string, number>();
  for (const event of handledEvents) counts.set(event, (counts.get(event) ?? 0) + 1);
  return {
    lost: sentEvents.filter((event) => !counts.has(event)).length,
    handledTwice: [...counts.values()].filter((count) => count > 1).length,
  };
}

/**
 * Sends an event to randomly chosen receivers until one responds with 200. Like the service, uses the same id for every attempt, and signs
 * each attempt when it is sent.
 */
async function deliverEvent(receivers: readonly KilledReceiver[], event: string): Promise<void> {
  const body = JSON.stringify({ offerId: event, workerId: "worker_amal", response: "accepted" });
  for (;;) {
    const { headers, ...init } = createSignedRequest(body, { id: `msg_${event}` });
    const receiver = receivers[randomInt(receivers.length)];
    const status = await receiver?.send("/offer/response", { ...init, headers: { ...headers, "x-event": event } });
    if (status === 200) return;
    await pause(10);
  }
}

async function runOnPostgres(
  mode: KilledReceiverSetup["mode"],
  killCount: number,
  handle: Handle = "pg",
): Promise<Tally> {
  const { url, drop } = await createDatabase();
  onTestFinished(drop);
  const pool = new pg.Pool({ connectionString: url });
  onTestFinished(() => pool.end());
  await pool.query(`${inboxMigration()} CREATE TABLE handled (event text NOT NULL)`);
  const readHandled = async () =>
    (await pool.query<{ event: string }>("SELECT event FROM handled")).rows.map(({ event }) => event);
  const tally = await runWithKills({ secret: whsec, mode, handle, location: url }, 3, killCount, readHandled);
  console.log(`three receivers on PostgreSQL with ${handle}, ${mode}:`, tally);
  return tally;
}

describe.runIf(await isPostgresRunning())("three receivers on PostgreSQL that are killed one at a time", () => {
  test("with once, no event is lost or duplicated", {
    timeout: 1_800_000,
  }, async () => {
    const { kills, lost, handledTwice } = await runOnPostgres("once", postgresKillCount);
    expect(kills.row + kills.commit + kills.response).toBe(postgresKillCount);
    expect({ lost, handledTwice }).toEqual({ lost: 0, handledTwice: 0 });
  });

  test.each(["drizzle", "prisma"] as const)(
    "with once through %s, no event is lost or duplicated",
    { timeout: 1_800_000 },
    async (handle) => {
      expect(await runOnPostgres("once", otherKillCount, handle)).toMatchObject({ lost: 0, handledTwice: 0 });
    },
  );

  test("with memoryDeduplication and a bare insert, the same run duplicates events", {
    timeout: 1_800_000,
  }, async () => {
    // A quarter of the kills is enough to duplicate events.
    const { lost, handledTwice } = await runOnPostgres("memory", Math.ceil(postgresKillCount / 4));
    expect(lost).toBe(0);
    expect(handledTwice).toBeGreaterThan(0);
  });
});

test("one receiver on PGlite, killed between row, commit and response, does not lose or duplicate events", {
  timeout: 1_800_000,
}, async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), "offers-inbox-"));
  onTestFinished(() => rm(dataFolder, { recursive: true, force: true }));
  const readHandled = async () => {
    const pglite = new PGlite(dataFolder);
    const { rows } = await pglite.query<{ event: string }>("SELECT event FROM handled");
    await pglite.close();
    return rows.map(({ event }) => event);
  };
  const tally = await runWithKills(
    { secret: whsec, mode: "once", handle: "pglite", location: dataFolder },
    1,
    pgliteKillCount,
    readHandled,
  );
  console.log("one receiver on PGlite, once:", tally);
  expect(tally.kills.row + tally.kills.commit + tally.kills.response).toBe(pgliteKillCount);
  expect(tally).toMatchObject({ lost: 0, handledTwice: 0 });
});

test.each(["node:sqlite", "better-sqlite3"] as const)(
  "three receivers on one SQLite file, with %s, do not lose or duplicate events",
  {
    timeout: 1_800_000,
  },
  async (handle) => {
    const folder = await mkdtemp(join(tmpdir(), "offers-inbox-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const location = join(folder, "planning.db");
    const database = new DatabaseSync(location);
    onTestFinished(() => database.close());
    database.exec(`PRAGMA journal_mode = WAL; ${sqliteMigration()} CREATE TABLE handled (event text NOT NULL)`);
    const readHandled = async () =>
      database
        .prepare("SELECT event FROM handled")
        .all()
        .map(({ event }) => String(event));
    const tally = await runWithKills({ secret: whsec, mode: "once", handle, location }, 3, otherKillCount, readHandled);
    console.log(`three receivers on SQLite with ${handle}, once:`, tally);
    expect(tally.kills.row + tally.kills.commit + tally.kills.response).toBe(otherKillCount);
    expect(tally).toMatchObject({ lost: 0, handledTwice: 0 });
  },
);

test.runIf(await hasMysql())(
  "three receivers on MySQL do not lose or duplicate events",
  { timeout: 1_800_000 },
  async () => {
    const { url, drop } = await createMysqlDatabase();
    onTestFinished(drop);
    const pool = createPool(url);
    onTestFinished(() => pool.end());
    await pool.query(mysqlMigration());
    await pool.query("CREATE TABLE handled (event varchar(255) NOT NULL)");
    const readHandled = async () => {
      const [rows] = await pool.query("SELECT event FROM handled");
      return (rows as { event: string }[]).map(({ event }) => event);
    };
    const setup: KilledReceiverSetup = { secret: whsec, mode: "once", handle: "mysql2", location: url };
    const tally = await runWithKills(setup, 3, otherKillCount, readHandled);
    console.log("three receivers on MySQL, once:", tally);
    expect(tally.kills.row + tally.kills.commit + tally.kills.response).toBe(otherKillCount);
    expect(tally).toMatchObject({ lost: 0, handledTwice: 0 });
  },
);
