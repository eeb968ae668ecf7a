import { type ChildProcess, fork } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { standardWebhooks } from "@offers/webhook-kit";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { freePort } from "../../../tools/free-port.ts";
import { createDatabase, findPostgres } from "../../../tools/test-database.ts";

const secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const [kills, eventCount] = process.env.MEASURE ? [60, 400] : [6, 40];

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
      silent: true,
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
    const env = {
      DATABASE_URL: url,
      WEBHOOK_SECRET: secret,
      PORT: String(await freePort()),
      LEASE_MS: "300",
      PAUSE_MS: "10",
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

    const slots = Array.from({ length: eventCount }, (_, index) => ({
      offerId: `offer_${index}`,
      workerId: "worker_amal",
      eventStart: "2099-05-01T16:00:00Z",
    }));
    // Two workers of one organisation, each changing their mind: the last response must win.
    const responses = Array.from({ length: eventCount }, (_, index) => ({
      offerId: "offer_1",
      workerId: `worker_${index % 2}`,
      response: index < eventCount - 2 ? "accepted" : "rejected",
    }));
    const asSlots = slots.map((slot) =>
      deliver(Number(env.PORT), { path: "/offer/eventDeleted", body: JSON.stringify(slot) }),
    );
    // The service delivers the responses of one worker one after the other (D-32).
    const inOrder = (async () => {
      for (const response of responses)
        await deliver(Number(env.PORT), { path: "/offer/response", body: JSON.stringify(response) });
    })();
    for (let killed = 0; killed < kills; killed += 1) {
      await pause(randomInt(50, 400));
      await programs[randomInt(programs.length)]?.killAndRestart();
    }
    await Promise.all([...asSlots, inOrder]);
    await expect.poll(() => count("SELECT FROM queue"), { timeout: 120_000, interval: 100 }).toBe(0);

    expect(await count("SELECT DISTINCT offer_id FROM deleted_slots")).toBe(eventCount);
    expect(await count("SELECT offer_id FROM deleted_slots")).toBe(eventCount);
    const { rows } = await database.query("SELECT worker_id, response FROM responses ORDER BY worker_id");
    expect(rows).toEqual([
      { worker_id: "worker_0", response: "rejected" },
      { worker_id: "worker_1", response: "rejected" },
    ]);
    const duplicates = await database.query<{ reason: string; count: number }>("SELECT reason, count FROM duplicates");
    console.log(`${2 * eventCount} events, ${kills} kills; duplicates:`, duplicates.rows);
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
