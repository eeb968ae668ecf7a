import { type ChildProcess, fork } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { standardWebhooks } from "@offers/webhook-kit";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { freePort } from "../../../scripts/processes/free-port.ts";
import { createDatabase, findPostgres } from "../../../scripts/test-database.ts";

const secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const kills = 60;

const running = new Set<ChildProcess>();
afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
});

/** A program of this example, started again whenever it is killed. */
class Program {
  readonly #file: string;
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess;

  constructor(file: string, env: Record<string, string>) {
    this.#file = file;
    this.#env = { ...process.env, ...env };
    this.#child = this.#start();
  }

  #start(): ChildProcess {
    const child = fork(new URL(`../src/${this.#file}`, import.meta.url), {
      env: this.#env,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      execArgv: ["--no-warnings"],
    });
    running.add(child);
    return child;
  }

  async killAndRestart(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
    running.delete(this.#child);
    this.#child = this.#start();
  }
}

interface Sent {
  readonly path: string;
  readonly body: string;
}

/** As the service does: until 200, under one id, and signed when it is sent. */
async function deliver(port: number, { path, body }: Sent): Promise<void> {
  const id = `msg_${randomUUID()}`;
  for (;;) {
    const headers = standardWebhooks().sign({ secret, now: new Date(), body: Buffer.from(body), id });
    const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body };
    const response = await fetch(`http://127.0.0.1:${port}/offers${path}`, init).catch(() => undefined);
    if (response?.status === 200) return;
    await pause(20);
  }
}

test.runIf(await findPostgres())(
  "verified in one process, handled in another, killed at random: every event is handled, and duplicates are counted",
  async () => {
    const { url, drop } = await createDatabase();
    const port = await freePort();
    const env = {
      DATABASE_URL: url,
      WEBHOOK_SECRET: secret,
      PORT: String(port),
      LEASE_MS: "1000",
      PAUSE_MS: "30",
    };
    const migration = fork(new URL("../src/migrate.ts", import.meta.url), {
      env: { ...process.env, ...env },
      execArgv: ["--no-warnings"],
    });
    expect((await once(migration, "exit"))[0]).toBe(0);
    const programs = [new Program("edge.ts", env), new Program("worker.ts", env), new Program("worker.ts", env)];
    const database = new pg.Pool({ connectionString: url });
    const count = async (sql: string) =>
      Number((await database.query(`SELECT count(*) AS n FROM (${sql}) AS found`)).rows[0].n);

    let isOver = false;
    let slots = 0;
    const sendSlots = async (): Promise<void> => {
      while (!isOver) {
        slots += 1;
        const slot = { offerId: `offer_${slots}`, workerId: "worker_amal", eventStart: "2099-05-01T16:00:00Z" };
        await deliver(port, { path: "/offer/eventDeleted", body: JSON.stringify(slot) });
      }
    };
    // The service delivers the responses of one worker to one offer one after the other (D-32).
    let responses = 0;
    const respond = (response: string): Promise<void> => {
      responses += 1;
      const body = JSON.stringify({ offerId: "offer_1", workerId: "worker_amal", response });
      return deliver(port, { path: "/offer/response", body });
    };
    const sendResponses = async (): Promise<void> => {
      while (!isOver) await respond(responses % 2 === 0 ? "accepted" : "rejected");
      await respond("the last one");
    };
    const sent = Promise.all([sendSlots(), sendSlots(), sendSlots(), sendResponses()]);
    for (let killed = 0; killed < kills; killed += 1) {
      // After some progress, so that a busy machine does not kill processes which are still starting.
      const handled = await count("SELECT FROM deleted_slots");
      await expect.poll(() => count("SELECT FROM deleted_slots"), { timeout: 120_000 }).toBeGreaterThan(handled + 5);
      await pause(randomInt(100));
      await programs[killed % programs.length]?.killAndRestart();
    }
    isOver = true;
    await sent;
    await expect.poll(() => count("SELECT FROM queue"), { timeout: 120_000, interval: 100 }).toBe(0);

    expect(await count("SELECT DISTINCT offer_id FROM deleted_slots")).toBe(slots);
    expect(await count("SELECT offer_id FROM deleted_slots")).toBe(slots);
    const { rows } = await database.query("SELECT response FROM responses");
    expect(rows).toEqual([{ response: "the last one" }]);
    const duplicates = await database.query<{ reason: string; count: number }>("SELECT reason, count FROM duplicates");
    console.log(`${slots} slots and ${responses} responses, ${kills} kills; duplicates of slots:`, duplicates.rows);
    expect(duplicates.rows.length).toBeGreaterThan(0);
    await database.end();
    for (const child of running) {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    }
    running.clear();
    await drop();
  },
);
