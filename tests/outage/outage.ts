import { setTimeout as pause } from "node:timers/promises";
import { inboxMigration } from "@offers/webhook-kit/postgres";
import pg from "pg";
import type { TestDatabase } from "../../examples/platform/test/support/stores/stores.ts";
import { ForkedProcess } from "../../scripts/processes/forked-process.ts";
import { freePort } from "../../scripts/processes/free-port.ts";
import { Seeded } from "../seeded.ts";
import { apiKey, Service } from "./service.ts";

/** `feed`: webhooks and the feed's events share their keys. `reconcile`: a webhook is a hint, and only GetOffer is read. */
export type Mode = "reconcile" | "feed";

export interface IntegratorSetup {
  mode: Mode;
  /** Its URL, which changes when it is opened again. */
  platform: string;
  apiKey: string;
  secret: string;
  port: number;
  databaseUrl: string;
}

/** Catch up, including on these offers. */
export interface Task {
  offerIds: readonly string[];
  /** Immediately. */
  runs: number;
}

export interface OutagesOptions {
  mode: Mode;
  /** How many outages. */
  outages: number;
  seed: number;
  /** The platform's database. */
  database: TestDatabase;
  /** The receiver's own database, empty. */
  databaseUrl: string;
}

export interface OutagesReport {
  outages: number;
  kills: number;
  /** Outages in which the endpoint responded with 410, which disables it. */
  disabled: number;
  /** Restarts of the platform, whose retention then purges what it may. */
  purges: number;
  /** Dead letters that were purged. */
  purged: number;
  /** Responses of workers that changed something. */
  changes: number;
  handled: number;
  /** Violations of the contract; empty if the run passed. */
  wrong: readonly string[];
}

// As Standard Webhooks has it: base64.
const secret = `whsec_${Buffer.from("a secret for outages, 32 bytes..").toString("base64")}`;
const workers = ["worker_amal", "worker_ben", "worker_cleo", "worker_dana"] as const;

/** Stops a receiver again and again while workers respond, and compares what it has handled with their responses. */
export async function runOutages(options: OutagesOptions): Promise<OutagesReport> {
  const { mode, outages, seed, database, databaseUrl } = options;
  // The same scenario for the same seed, except for the times that processes take.
  const seeded = new Seeded(seed);
  const pool = new pg.Pool({ connectionString: databaseUrl });
  // Its own connection may be ended by the removal of its database.
  pool.on("error", () => undefined);
  await pool.query(`${inboxMigration()}
    CREATE TABLE handled (
      id bigint GENERATED ALWAYS AS IDENTITY, offer_id text NOT NULL, worker_id text NOT NULL, response text NOT NULL
    );
    CREATE TABLE feed (one boolean PRIMARY KEY DEFAULT true, cursor text NOT NULL);`);
  const service = await Service.open({ database, secret, sparesMissed: mode === "feed" });
  const port = await freePort();
  const integrator = new Integrator({ mode, apiKey, secret, port, databaseUrl });
  const scenario = new Scenario(service, seeded);
  const wrong: string[] = [];
  const report = { kills: 0, disabled: 0, purges: 0, purged: 0 };
  const restart = (): Promise<void> => integrator.start(service.platform.address);
  try {
    await restart();
    await service.register(port);
    for (let index = 0; index < outages; index += 1) {
      await scenario.openOffer();
      await scenario.respond(2);
      const isDisabled = seeded.chance(0.2);
      // Like an endpoint that the circuit breaker does not pause.
      if (isDisabled) await service.register(port);
      await integrator.kill();
      if (isDisabled) {
        await service.disableEndpoint(port, () => scenario.respond(1));
        report.disabled += 1;
      }
      await scenario.respond(seeded.between(1, 6));
      // Usually lasts until the retry schedule is used up; sometimes the receiver comes back while attempts continue.
      await pause(seeded.chance(0.7) ? 150 : 30);
      if (seeded.chance(0.3)) {
        report.purged += await service.restartAndPurge();
        report.purges += 1;
      }
      await restart();
      if (isDisabled || seeded.chance(0.3)) await service.register(port);
      const meanwhile = scenario.respond(2);
      for (; seeded.chance(0.4); report.kills += 1) {
        const cut = integrator.catchUp(scenario.offerIds).catch(() => undefined);
        await pause(seeded.between(0, 60));
        await integrator.kill();
        await cut;
        await restart();
      }
      await Promise.all([integrator.catchUp(scenario.offerIds, 2), meanwhile]);
      await scenario.settle(pool);
      const caughtUpAt = Date.now();
      await integrator.catchUp(scenario.offerIds);
      service.caughtUpAt = caughtUpAt;
      wrong.push(...(await scenario.findFaults(mode, pool)));
      if (wrong.length > 0) break;
    }
    const { rows } = await pool.query<{ count: string }>("SELECT count(*) FROM handled");
    return { outages, ...report, changes: scenario.changes, handled: Number(rows[0]?.count), wrong };
  } finally {
    await integrator.kill();
    await service.close();
    await pool.end();
  }
}

/** The workers' responses, and which of them have been handled. */
class Scenario {
  readonly #service: Service;
  readonly #seeded: Seeded;
  /** The newest last. A receiver knows which of its offers are open. */
  readonly #said = new Map<string, Map<string, string[]>>();

  constructor(service: Service, seeded: Seeded) {
    this.#service = service;
    this.#seeded = seeded;
  }

  get offerIds(): string[] {
    return [...this.#said.keys()].slice(-3);
  }

  get changes(): number {
    return [...this.#said.values()].flatMap((each) => [...each.values()]).flat().length;
  }

  async openOffer(): Promise<void> {
    const json = {
      createdByUserId: "user_hana",
      title: "Bar",
      details: "",
      locationPlaceId: "",
      workerIds: workers,
      events: [],
    };
    const response = await this.#service.platform.call("POST", "/offer?api-version=1.0", { key: apiKey, json });
    if (response.status >= 300) throw new Error(`no offer: ${response.status} ${response.text}`);
    this.#said.set(response.json<{ id: string }>().id, new Map());
  }

  /** Workers respond to open offers; a third of them respond again, differently. */
  async respond(times: number): Promise<void> {
    for (let index = 0; index < times; index += 1) {
      const offerId = this.#seeded.pick(this.offerIds);
      const workerId = this.#seeded.pick(workers);
      const words = this.#said.get(offerId)?.get(workerId) ?? [];
      this.#said.get(offerId)?.set(workerId, words);
      const changes = this.#seeded.chance(1 / 3) ? 3 : 1;
      for (let change = 0; change < changes; change += 1) {
        const word = words.at(-1) === "accepted" ? "rejected" : "accepted";
        const token = await this.#service.platform.signInWorker(workerId);
        const path = `/worker-app/offers/${offerId}/${word === "accepted" ? "apply" : "reject"}`;
        const { status, text } = await this.#service.platform.call("POST", path, { token });
        if (status >= 300) throw new Error(`${path}: ${status} ${text}`);
        words.push(word);
      }
    }
  }

  /** Waits until webhooks no longer change anything. */
  async settle(pool: pg.Pool): Promise<void> {
    for (let [before, quiet] = [-1, 0]; quiet < 3; ) {
      await pause(80);
      const { rows } = await pool.query<{ count: string }>("SELECT count(*) FROM handled");
      const count = Number(rows[0]?.count);
      quiet = count === before ? quiet + 1 : 0;
      before = count;
    }
  }

  async findFaults(mode: Mode, pool: pg.Pool): Promise<string[]> {
    const { rows } = await pool.query<{ offer_id: string; worker_id: string; response: string }>(
      "SELECT offer_id, worker_id, response FROM handled ORDER BY id",
    );
    const handled = new Map<string, string[]>();
    for (const { offer_id, worker_id, response } of rows) {
      const key = `${offer_id} ${worker_id}`;
      handled.set(key, [...(handled.get(key) ?? []), response]);
    }
    const faults: string[] = [];
    for (const [offerId, workers] of this.#said)
      for (const [workerId, said] of workers) {
        const words = handled.get(`${offerId} ${workerId}`) ?? [];
        const fault = mode === "feed" ? findFeedFault(said, words) : findStateFault(said, words);
        if (fault) faults.push(`${workerId}: ${fault}; said ${said.join()}, handled ${words.join()}`);
      }
    return faults;
  }
}

/** The last handled state is the last response, and no state was handled twice in a row. */
function findStateFault(said: readonly string[], handled: readonly string[]): string | undefined {
  if (handled.at(-1) !== said.at(-1)) return "the state handled last is not what was said last";
  return handled.some((word, index) => word === handled[index - 1]) ? "a state was handled twice in a row" : undefined;
}

/** Each event was handled once; events of a dead letter may be handled after their successors. */
function findFeedFault(said: readonly string[], handled: readonly string[]): string | undefined {
  const count = (words: readonly string[]) => words.filter((word) => word === "accepted").length;
  if (handled.length !== said.length || count(handled) !== count(said)) return "not every event was handled once";
  return undefined;
}

/** The receiver's process. */
class Integrator {
  readonly #setup: Omit<IntegratorSetup, "platform">;
  #process: ForkedProcess | undefined;

  constructor(setup: Omit<IntegratorSetup, "platform">) {
    this.#setup = setup;
  }

  async start(platform: string): Promise<void> {
    const setup: IntegratorSetup = { ...this.#setup, platform };
    this.#process = new ForkedProcess(new URL("integrator.ts", import.meta.url), JSON.stringify(setup));
    await this.#process.message();
  }

  async kill(): Promise<void> {
    await this.#process?.stop("SIGKILL");
  }

  /** Rejects if the process ends before it is done. */
  async catchUp(offerIds: readonly string[], runs = 1): Promise<void> {
    const message = await this.#process?.request<string>({ offerIds, runs } satisfies Task);
    if (message !== "done") throw new Error(message);
  }
}
