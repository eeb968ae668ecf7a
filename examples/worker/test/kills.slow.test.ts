import { type ChildProcess, fork } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { standardWebhooks } from "@offers/webhook-kit";
import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { findFreePort } from "../../../scripts/processes/free-port.ts";
import { hasPostgresServer, OwnPostgres } from "../../../scripts/processes/own-postgres.ts";
import { hasRabbit, OwnRabbit } from "./own-rabbit.ts";
import { type Sabotage, sabotages } from "./sabotage.ts";

const secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const preload = fileURLToPath(new URL("sabotage.ts", import.meta.url));

const runningChildren = new Set<ChildProcess>();
afterAll(() => {
  for (const child of runningChildren) child.kill("SIGKILL");
});

function startProgram(file: string, env: NodeJS.ProcessEnv): ChildProcess {
  const child = fork(new URL(`../src/${file}`, import.meta.url), {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    execArgv: ["--no-warnings", `--import=${preload}`],
  });
  runningChildren.add(child);
  return child;
}

/** A target of the kills: a program in this example, or the broker. */
interface Target {
  killAndRestart(): Promise<void>;
}

/** Runs a program and, like a supervisor, restarts it when it exits, because it cannot start while the broker is down. */
class Program implements Target {
  readonly #start: () => ChildProcess;
  #child: ChildProcess;
  #isStopping = false;
  #isReady = false;
  /** The output of the program, if it exited on its own after it was ready. */
  crashOutput: string | undefined;

  constructor(file: string, env: NodeJS.ProcessEnv) {
    this.#start = () => {
      const child = startProgram(file, env);
      let output = "";
      this.#isReady = false;
      for (const stream of [child.stdout, child.stderr])
        stream?.on("data", (chunk: Buffer) => {
          output = (output + chunk).slice(-2_000);
          this.#isReady ||= /edge on port|worker is waiting/.test(output);
        });
      child.once("exit", (code) => {
        runningChildren.delete(child);
        if (code === null || this.#isStopping) return;
        if (this.#isReady) this.crashOutput = output;
        setTimeout(() => {
          if (!this.#isStopping) this.#child = this.#start();
        }, 200);
      });
      return child;
    };
    this.#child = this.#start();
  }

  async killAndRestart(): Promise<void> {
    await this.kill();
    this.#isStopping = false;
    this.#child = this.#start();
  }

  async kill(): Promise<void> {
    this.#isStopping = true;
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }
}

/** Delivers a webhook as the service does: signs each attempt, and retries with the same id until the status is 200. */
async function deliver(ports: readonly number[], path: string, json: object): Promise<void> {
  const body = JSON.stringify(json);
  const id = `msg_${randomUUID()}`;
  for (;;) {
    const headers = standardWebhooks().sign({ secret, now: new Date(), body: Buffer.from(body), id });
    const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body };
    const signal = AbortSignal.timeout(15_000);
    const port = ports[randomInt(ports.length)];
    const response = await fetch(`http://127.0.0.1:${port}/offers${path}`, { ...init, signal }).catch(() => undefined);
    if (response?.status === 200) return;
    await pause(20);
  }
}

interface KillTest {
  queue: "RabbitMQ" | "PostgreSQL";
  eventCount: number;
  killCount: number;
  sabotage?: Sabotage;
}

interface Result {
  sent: number;
  lost: number;
  doubled: number;
  lastResponse: string | undefined;
  duplicates: { reason: string; count: number }[];
}

/** Runs two edges, two workers and a broker, and kills one of them after another while events arrive. */
async function runKillTest({ queue, eventCount, killCount, sabotage }: KillTest): Promise<Result> {
  const database = await OwnPostgres.create(["max_connections=60"]);
  const rabbit = queue === "RabbitMQ" ? await OwnRabbit.create() : undefined;
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  pool.on("error", () => undefined);
  const programs: Program[] = [];
  try {
    const ports = [await findFreePort(), await findFreePort()];
    const settings = { DATABASE_URL: database.url, QUEUE_URL: rabbit?.url, SABOTAGE: sabotage, WEBHOOK_SECRET: secret };
    const env = { ...settings, LEASE_SECONDS: "1", PAUSE_MS: "20" };
    expect((await once(startProgram("migrate.ts", env), "exit"))[0]).toBe(0);
    const edges = ports.map((port) => new Program("edge.ts", { ...env, PORT: String(port) }));
    const workers = [new Program("worker.ts", env), new Program("worker.ts", env)];
    programs.push(...edges, ...workers);
    const broker = rabbit ?? database;
    const brokerTarget = { killAndRestart: () => broker.kill().then(() => broker.start()) };
    const targets: Target[] = [...programs, brokerTarget];

    // Retry while the database is down.
    const queryWithRetries = async (sql: string): Promise<pg.QueryResult> => {
      for (;;) {
        const result = await pool.query(sql).catch(() => undefined);
        if (result !== undefined) return result;
        await pause(50);
      }
    };
    const countHandled = async () =>
      Number((await queryWithRetries("SELECT count(*) AS n FROM deleted_slots")).rows[0].n);

    let isOver = false;
    let slotCount = 0;
    const deliverDeletedSlots = async (): Promise<void> => {
      while (!isOver || slotCount < eventCount) {
        slotCount += 1;
        const slot = { offerId: `offer_${slotCount}`, workerId: "worker_amal", eventStart: "2099-05-01T16:00:00Z" };
        await deliver(ports, "/offer/eventDeleted", slot);
      }
    };
    // The service delivers a worker's responses to an offer one after another (D-32).
    const deliverResponse = (response: string): Promise<void> =>
      deliver(ports, "/offer/response", { offerId: "offer_1", workerId: "worker_amal", response });
    const deliverResponses = async (): Promise<void> => {
      for (let count = 0; !isOver; count += 1) await deliverResponse(count % 2 === 0 ? "accepted" : "rejected");
      await deliverResponse("the last one");
    };
    const deliveries = Promise.all([...Array.from({ length: 6 }, deliverDeletedSlots), deliverResponses()]);
    for (let killIndex = 0; killIndex < killCount; killIndex += 1) {
      // Wait for some progress, so that the test does not kill a process that is still starting on a busy machine.
      const countBefore = await countHandled();
      await expect.poll(countHandled, { timeout: 120_000 }).toBeGreaterThan(countBefore + 20);
      await pause(randomInt(100));
      await targets[killIndex % targets.length]?.killAndRestart();
    }
    isOver = true;
    await deliveries;
    expect(programs.flatMap(({ crashOutput }) => crashOutput ?? [])).toEqual([]);
    // Wait until no message is handled for 15 s, because a message may be delivered again after the longest delay between two deliveries.
    let lastCount = -1;
    let quietSince = Date.now();
    while (Date.now() - quietSince < 15_000) {
      const count = await countHandled();
      if (count !== lastCount) {
        lastCount = count;
        quietSince = Date.now();
      }
      await pause(200);
    }
    const { rows } = await queryWithRetries(
      "SELECT count(*) AS rows, count(DISTINCT offer_id) AS offers FROM deleted_slots",
    );
    const rowCount = Number(rows[0].rows);
    const offerCount = Number(rows[0].offers);
    const response = await queryWithRetries("SELECT response FROM responses");
    const duplicates = await queryWithRetries("SELECT reason, count FROM duplicates ORDER BY reason");
    return {
      sent: slotCount,
      lost: slotCount - offerCount,
      doubled: rowCount - offerCount,
      lastResponse: response.rows[0]?.response,
      duplicates: duplicates.rows,
    };
  } finally {
    for (const program of programs) await program.kill();
    await pool.end();
    await rabbit?.remove();
    await database.remove();
  }
}

const queues = [
  ...(hasPostgresServer ? (["PostgreSQL"] as const) : []),
  ...(hasPostgresServer && hasRabbit ? (["RabbitMQ"] as const) : []),
];

describe.each(queues)("with a queue in %s", (queue) => {
  test("the workers handle each of 2,000 events once while edges, workers and the broker are killed 60 times", {
    timeout: 900_000,
  }, async () => {
    const { sent, lost, doubled, lastResponse, duplicates } = await runKillTest({
      queue,
      eventCount: 2_000,
      killCount: 60,
    });
    console.log(`${queue}: ${sent} events, 60 kills; lost ${lost}, doubled ${doubled}; duplicates:`, duplicates);
    expect(sent).toBeGreaterThanOrEqual(2_000);
    expect({ lost, doubled, lastResponse }).toEqual({ lost: 0, doubled: 0, lastResponse: "the last one" });
    // Without duplicates, no kill would have interrupted a delivery.
    expect(duplicates.length).toBeGreaterThan(0);
  });

  test.each(Object.keys(sabotages) as Sabotage[])(
    "killing processes exposes a program that %s",
    { timeout: 600_000 },
    async (sabotage) => {
      const { sent, lost, doubled } = await runKillTest({ queue, eventCount: 500, killCount: 20, sabotage });
      console.log(`${queue}, ${sabotage}: ${sent} events, 20 kills; lost ${lost}, doubled ${doubled}`);
      expect(sabotage === "has no inbox" ? doubled : lost).toBeGreaterThan(0);
    },
  );
});
