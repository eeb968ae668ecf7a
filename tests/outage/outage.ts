import { setTimeout as pause } from "node:timers/promises";
import { inboxMigration } from "@offers/webhook-kit/postgres";
import pg from "pg";
import type { TestDatabase } from "../../examples/platform/test/support/stores/stores.ts";
import { ForkedProcess } from "../../scripts/processes/forked-process.ts";
import { findFreePort } from "../../scripts/processes/free-port.ts";
import { Seeded } from "../seeded.ts";
import { apiKey, Service } from "./service.ts";

/** `feed`: the receiver handles webhooks, and events from the feed with the same keys. `reconcile`: a webhook only triggers GetOffer. */
export type Mode = "reconcile" | "feed";

export interface IntegratorSetup {
  mode: Mode;
  /** The platform's URL, which changes when the platform restarts. */
  platform: string;
  apiKey: string;
  secret: string;
  port: number;
  databaseUrl: string;
}

/** A message that tells the integrator to catch up. */
export interface Task {
  /** The offers to read in the mode `reconcile`. */
  offerIds: readonly string[];
  /** How many times to catch up concurrently. */
  runs: number;
}

export interface OutagesOptions {
  mode: Mode;
  outages: number;
  seed: number;
  /** The platform's database. */
  database: TestDatabase;
  /** The receiver's database, which is empty. */
  databaseUrl: string;
}

export interface OutagesReport {
  /** How many outages were planned. The run ends early after a violation. */
  outages: number;
  kills: number;
  /** Outages in which the endpoint responded with 410, which disables it. */
  disabled: number;
  /** Restarts of the platform, after which its retention may purge rows. */
  purges: number;
  /** How many dead letters were purged. */
  purged: number;
  /** Worker responses that changed something. */
  changes: number;
  handled: number;
  /** Violations of the contract; empty if the run passed. */
  violations: readonly string[];
}

// In the format of Standard Webhooks: base64.
const secret = `whsec_${Buffer.from("a secret for outages, 32 bytes..").toString("base64")}`;
const workers = ["worker_amal", "worker_ben", "worker_cleo", "worker_dana"] as const;

/** Kills a receiver repeatedly while workers respond, and compares the responses that it handled with the responses that workers sent. */
export async function runOutages(options: OutagesOptions): Promise<OutagesReport> {
  const { mode, outages, seed, database, databaseUrl } = options;
  // A seed determines the choices, but not the timing.
  const seeded = new Seeded(seed);
  const pool = new pg.Pool({ connectionString: databaseUrl });
  // Removing the database may close an idle connection.
  pool.on("error", () => undefined);
  await pool.query(`${inboxMigration()}
    CREATE TABLE handled (
      id bigint GENERATED ALWAYS AS IDENTITY, offer_id text NOT NULL, worker_id text NOT NULL, response text NOT NULL
    );
    CREATE TABLE feed (one boolean PRIMARY KEY DEFAULT true, cursor text NOT NULL);`);
  const service = await Service.open({ database, secret, keepsMissedDeliveries: mode === "feed" });
  const port = await findFreePort();
  const integrator = new Integrator({ mode, apiKey, secret, port, databaseUrl });
  const scenario = new Scenario(service, seeded);
  const violations: string[] = [];
  const report = { kills: 0, disabled: 0, purges: 0, purged: 0 };
  const restart = (): Promise<void> => integrator.start(service.platform.address);
  try {
    await restart();
    await service.register(port);
    for (let index = 0; index < outages; index += 1) {
      await scenario.createOffer();
      await scenario.respond(2);
      const isDisabled = seeded.chance(0.2);
      // Close the circuit breaker: a paused endpoint would not get the request to respond to with 410.
      if (isDisabled) await service.register(port);
      await integrator.kill();
      if (isDisabled) {
        await service.disableEndpoint(port, () => scenario.respond(1));
        report.disabled += 1;
      }
      await scenario.respond(seeded.between(1, 6));
      // Most outages outlast the retry schedule. In the others, the receiver comes back while attempts continue.
      await pause(seeded.chance(0.7) ? 150 : 30);
      if (seeded.chance(0.3)) {
        report.purged += await service.restartAndPurge();
        report.purges += 1;
      }
      await restart();
      if (isDisabled || seeded.chance(0.3)) await service.register(port);
      const concurrentResponses = scenario.respond(2);
      while (seeded.chance(0.4)) {
        const interruptedCatchUp = integrator.catchUp(scenario.offerIds).catch(() => undefined);
        await pause(seeded.between(0, 60));
        await integrator.kill();
        await interruptedCatchUp;
        await restart();
        report.kills += 1;
      }
      await Promise.all([integrator.catchUp(scenario.offerIds, 2), concurrentResponses]);
      await scenario.waitUntilSettled(pool);
      const caughtUpAt = Date.now();
      await integrator.catchUp(scenario.offerIds);
      service.caughtUpAt = caughtUpAt;
      violations.push(...(await scenario.findFaults(mode, pool)));
      if (violations.length > 0) break;
    }
    const { rows } = await pool.query<{ count: string }>("SELECT count(*) FROM handled");
    return { outages, ...report, changes: scenario.changeCount, handled: Number(rows[0]?.count), violations };
  } finally {
    await integrator.kill();
    await service.close();
    await pool.end();
  }
}

/** Makes workers respond, records their responses, and compares them with the handled responses. */
class Scenario {
  readonly #service: Service;
  readonly #seeded: Seeded;
  /** Every response, by offer and worker, newest last. */
  readonly #responses = new Map<string, Map<string, string[]>>();

  constructor(service: Service, seeded: Seeded) {
    this.#service = service;
    this.#seeded = seeded;
  }

  /** Returns the ids of the three newest offers, which workers still respond to. */
  get offerIds(): string[] {
    return [...this.#responses.keys()].slice(-3);
  }

  /** Counts all worker responses. */
  get changeCount(): number {
    return [...this.#responses.values()].flatMap((byWorker) => [...byWorker.values()]).flat().length;
  }

  async createOffer(): Promise<void> {
    const json = {
      createdByUserId: "user_hana",
      title: "Bar",
      details: "",
      locationPlaceId: "",
      workerIds: workers,
      events: [],
    };
    const created = await this.#service.platform.call("POST", "/offer?api-version=1.0", { key: apiKey, json });
    if (created.status >= 300) throw new Error(`no offer was created: ${created.status} ${created.text}`);
    this.#responses.set(created.json<{ id: string }>().id, new Map());
  }

  /** Makes a random worker respond to a random offer in each turn. In a third of the turns, the worker then changes the response twice. */
  async respond(turnCount: number): Promise<void> {
    for (let index = 0; index < turnCount; index += 1) {
      const offerId = this.#seeded.pick(this.offerIds);
      const workerId = this.#seeded.pick(workers);
      const responses = this.#responses.get(offerId)?.get(workerId) ?? [];
      this.#responses.get(offerId)?.set(workerId, responses);
      const changeCount = this.#seeded.chance(1 / 3) ? 3 : 1;
      for (let change = 0; change < changeCount; change += 1) {
        const response = responses.at(-1) === "accepted" ? "rejected" : "accepted";
        const token = await this.#service.platform.signInWorker(workerId);
        const path = `/worker-app/offers/${offerId}/${response === "accepted" ? "apply" : "reject"}`;
        const { status, text } = await this.#service.platform.call("POST", path, { token });
        if (status >= 300) throw new Error(`${path}: ${status} ${text}`);
        responses.push(response);
      }
    }
  }

  /** Waits until the table `handled` has not grown for a while. */
  async waitUntilSettled(pool: pg.Pool): Promise<void> {
    let lastCount = -1;
    let unchangedReads = 0;
    while (unchangedReads < 3) {
      await pause(80);
      const { rows } = await pool.query<{ count: string }>("SELECT count(*) FROM handled");
      const count = Number(rows[0]?.count);
      unchangedReads = count === lastCount ? unchangedReads + 1 : 0;
      lastCount = count;
    }
  }

  /** Compares the handled responses with the responses that the workers sent. @returns the violations */
  async findFaults(mode: Mode, pool: pg.Pool): Promise<string[]> {
    const { rows } = await pool.query<{ offer_id: string; worker_id: string; response: string }>(
      "SELECT offer_id, worker_id, response FROM handled ORDER BY id",
    );
    const handled = new Map<string, string[]>();
    for (const { offer_id, worker_id, response } of rows) {
      const key = `${offer_id} ${worker_id}`;
      handled.set(key, [...(handled.get(key) ?? []), response]);
    }
    const violations: string[] = [];
    for (const [offerId, responsesByWorker] of this.#responses)
      for (const [workerId, sentResponses] of responsesByWorker) {
        const handledResponses = handled.get(`${offerId} ${workerId}`) ?? [];
        const fault =
          mode === "feed"
            ? findFeedFault(sentResponses, handledResponses)
            : findStateFault(sentResponses, handledResponses);
        if (fault)
          violations.push(
            `${workerId}: ${fault}; responded ${sentResponses.join()}, handled ${handledResponses.join()}`,
          );
      }
    return violations;
  }
}

/** Checks that the last handled state is the last response, and that no state was handled twice in a row. @returns the fault, if any */
function findStateFault(sentResponses: readonly string[], handledResponses: readonly string[]): string | undefined {
  if (handledResponses.at(-1) !== sentResponses.at(-1)) return "the last handled state is not the last response";
  return handledResponses.some((response, index) => response === handledResponses[index - 1])
    ? "a state was handled twice in a row"
    : undefined;
}

/** Checks the number of handled events with each response, but not their order: a dead letter may be handled after its successors. */
function findFeedFault(sentResponses: readonly string[], handledResponses: readonly string[]): string | undefined {
  const countAccepted = (responses: readonly string[]) =>
    responses.filter((response) => response === "accepted").length;
  if (
    handledResponses.length !== sentResponses.length ||
    countAccepted(handledResponses) !== countAccepted(sentResponses)
  )
    return "not every event was handled once";
  return undefined;
}

/** Starts and kills the receiver's process. */
class Integrator {
  readonly #setup: Omit<IntegratorSetup, "platform">;
  #process: ForkedProcess | undefined;

  constructor(setup: Omit<IntegratorSetup, "platform">) {
    this.#setup = setup;
  }

  /** Starts the process, and waits until it is listening. */
  async start(platform: string): Promise<void> {
    const setup: IntegratorSetup = { ...this.#setup, platform };
    this.#process = new ForkedProcess(new URL("integrator.ts", import.meta.url), JSON.stringify(setup));
    await this.#process.waitForMessage();
  }

  async kill(): Promise<void> {
    await this.#process?.stop("SIGKILL");
  }

  /** Makes the integrator catch up. Rejects if catching up fails, or if its process exits first. */
  async catchUp(offerIds: readonly string[], runs = 1): Promise<void> {
    const message = await this.#process?.request<string>({ offerIds, runs } satisfies Task);
    if (message !== "done") throw new Error(message);
  }
}
