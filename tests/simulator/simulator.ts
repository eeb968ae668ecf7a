import { inboxMigration } from "@offers/webhook-kit/postgres";
import { encrypt } from "../../examples/platform/src/store/encrypt.ts";
import { openSignals } from "../../examples/platform/src/store/signals.ts";
import type { Store } from "../../examples/platform/src/store/store.ts";
import { enableEndpoint } from "../../examples/platform/src/webhooks/disabled-endpoint.ts";
import { recordEvent } from "../../examples/platform/src/webhooks/record-event.ts";
import { restartSchedules, retryNow } from "../../examples/platform/src/webhooks/redeliver.ts";
import { ContractChecker, type Delivery, type HandledRow, type Outcome } from "./contract-checker.ts";
import { Network, noNetworkFaults, Receiver, secret } from "./network.ts";
import { encryptionKey, Platform, Stores } from "./platform.ts";
import { noDatabaseFaults, SimulatedPostgres } from "./postgres.ts";
import type { FaultName, Scenario } from "./scenario.ts";
import { Process, Schedule, virtualiseTimers, wallClock } from "./schedule.ts";

export interface ScenarioResult {
  violations: readonly string[];
  /** A hash of everything that happened. It is equal for every run of the same scenario. */
  fingerprint: number;
  steps: number;
  virtualMs: number;
  /** How many requests the platform sent. */
  sent: number;
}

/** How many scenarios run between vacuums. PGlite has no autovacuum, so scenarios would become slower and slower without them. */
const scenariosPerVacuum = 500;

/** How many process restarts a scenario may have. */
const maxRestarts = 8;
const maxStallMs = 12_000;
/** How long the platform may take to complete all pending deliveries after the last fault. */
const recoveryMs = 120_000;

/** Runs scenarios one after another on one in-memory database. */
export class Simulator {
  readonly #database: SimulatedPostgres;
  readonly #stores: Stores;
  #scenarioCount = 0;

  private constructor(database: SimulatedPostgres, stores: Stores) {
    this.#database = database;
    this.#stores = stores;
  }

  /** Opens the database and the stores. Replaces timers and npm `pg` in this Node process. */
  static async open(): Promise<Simulator> {
    virtualiseTimers();
    const database = await SimulatedPostgres.open();
    const schedule = new Schedule(0);
    database.startSchedule(schedule);
    const stores = new Stores();
    let isOpen = false;
    let cause: unknown;
    schedule.run(new Process("set-up"), () => {
      // Enough for the platforms, the API and every restart.
      stores.open(maxRestarts + 6).then(
        () => {
          isOpen = true;
        },
        (error: unknown) => {
          cause = error;
        },
      );
    });
    await schedule.runUntil(() => isOpen || cause !== undefined, 600_000);
    if (!isOpen) throw new Error("the stores could not be opened", { cause });
    database.query(`${inboxMigration()}
      create table handled (id bigint generated always as identity, delivery_id text not null, response text not null);`);
    database.makeTablesUnlogged();
    return new Simulator(database, stores);
  }

  async run(scenario: Scenario, onStep?: (line: string) => void): Promise<ScenarioResult> {
    const result = await new Run(this.#database, this.#stores, scenario, onStep).runToEnd();
    this.#scenarioCount += 1;
    if (this.#scenarioCount % scenariosPerVacuum === 0) this.#database.query("vacuum");
    return result;
  }
}

/** Runs one scenario. */
class Run {
  readonly #database: SimulatedPostgres;
  readonly #stores: Stores;
  readonly #scenario: Scenario;
  readonly #schedule: Schedule;
  readonly #checker: ContractChecker;
  readonly #receiver: Receiver;
  readonly #network: Network;
  readonly #organisationIds: readonly string[];
  readonly #confirmedIds = new Set<string>();
  readonly #cleanups: (() => void)[] = [];
  readonly #platforms: Platform[] = [];
  #api: { process: Process; store: Store };
  #restarts = 0;
  /** Restarts that have not happened yet. */
  #pendingRestarts = 0;

  constructor(database: SimulatedPostgres, stores: Stores, scenario: Scenario, onStep?: (line: string) => void) {
    this.#database = database;
    this.#stores = stores;
    this.#scenario = scenario;
    this.#schedule = new Schedule(scenario.seed);
    this.#schedule.onStep = onStep;
    this.#checker = new ContractChecker(this.#schedule);
    this.#receiver = new Receiver(this.#schedule, this.#checker);
    this.#network = new Network(this.#schedule, this.#checker, this.#receiver);
    this.#organisationIds = Array.from({ length: scenario.organisations }, (_, index) => `organisation-${index}`);
    this.#api = this.#startApi();
  }

  async runToEnd(): Promise<ScenarioResult> {
    const { spreadMs, processes, events } = this.#scenario;
    const schedule = this.#schedule;
    try {
      this.#resetDatabase();
      for (let index = 0; index < processes; index += 1) this.#startPlatform(`platform-${index}`);
      this.#enableFaults();
      for (let index = 0; index < events; index += 1)
        schedule.after(undefined, schedule.between(0, spreadMs), "person", () => this.#performUserActions(index));
      await schedule.runUntil(() => false, spreadMs + schedule.between(100, 5_000));
      await this.#heal();
      await this.#waitUntilRecovered();
      this.#checker.checkOutcome(await this.#readOutcome());
    } finally {
      for (const process of this.#listProcesses()) process.stop();
      for (const cleanUp of this.#cleanups) cleanUp();
    }
    const { violations, sent } = this.#checker;
    const { fingerprint, steps, nowMs } = schedule;
    return { violations: [...new Set(violations)], fingerprint, steps, virtualMs: nowMs, sent: sent.length };
  }

  #listProcesses = (): Process[] => [
    ...this.#platforms.map(({ process }) => process),
    this.#receiver.process,
    this.#api.process,
  ];

  #resetDatabase(): void {
    const database = this.#database;
    database.startSchedule(this.#schedule);
    database.query(`
      delete from outbox_wakeups; delete from outbox_leases; delete from outbox_processes; delete from attempts;
      delete from deliveries; delete from events; delete from endpoints; delete from mails; delete from organisations;
      delete from offers_inbox; delete from handled;`);
    for (const id of this.#organisationIds) {
      database.query("insert into organisations (id, name, kind) values ($1, $1, 'hirer')", [id]);
      database.query(
        `insert into endpoints (organisation_id, base_address, encrypted_secret, suggests_contacts, updated_at, scheme)
         values ($1, $2, $3, false, now(), 'timestampDigestAndStandardWebhooks')`,
        [id, `http://receiver/${id}`, encrypt(secret, encryptionKey, id)],
      );
    }
    database.onFault = (process, durationMs) => this.#checker.recordDisturbance(process, durationMs);
  }

  #startApi(): { process: Process; store: Store } {
    const process = new Process("api");
    const store = this.#stores.lend(process, this.#cleanups);
    // The signals wake the platforms after a commit. Without signals, the platforms poll every five seconds.
    this.#schedule.run(process, () => openSignals(store, { onError: this.#onError }));
    return { process, store };
  }

  #startPlatform(name: string): void {
    const process = new Process(name);
    const store = this.#stores.lend(process, this.#cleanups);
    const [schedule, network, checker] = [this.#schedule, this.#network, this.#checker];
    this.#platforms.push(new Platform({ schedule, network, checker, store, process, onError: this.#onError }));
  }

  /** Reports JavaScript bugs and SQL errors. Ignores lost connections, which are expected. */
  #onError = (error: unknown): void => {
    const { code, name, message } = error as { code?: string; name?: string; message?: string };
    if (name === "TypeError" || name === "RangeError" || /^(23|42|22)/.test(code ?? ""))
      this.#checker.violations.push(`error: ${name} ${code ?? ""} ${message}`);
  };

  /** Returns the probability of a fault in this scenario. */
  #rate(name: FaultName): number {
    return this.#scenario.faults[name] ?? 0;
  }

  /** Enables the faults of the network, the database, the processes and the clocks. */
  #enableFaults(): void {
    const pickRates = <Name extends FaultName>(names: readonly Name[]) =>
      Object.fromEntries(names.map((name) => [name, this.#rate(name)])) as Record<Name, number>;
    this.#database.faults = pickRates(["lostStatements", "lostReplies", "lostNotifications", "slowCommits"]);
    this.#network.faults = pickRates([
      "refused",
      "lostRequests",
      "lostResponses",
      "doubled",
      "slow",
      "unavailable",
      "gone",
    ]);
    this.#schedule.beforeStep = (process, what) => this.#disturbStep(process, what);
  }

  /** Sometimes kills, stalls or stops a process before a step, or moves its clock or the database clock. */
  #disturbStep(process: Process, what: string): void {
    if (process.isStopped) return;
    const schedule = this.#schedule;
    const isReceiver = process === this.#receiver.process;
    if (schedule.chance(this.#rate(isReceiver ? "receiverKill" : "kill"))) this.#kill(process);
    const isDuringAttempt = what === "turn" || what === "connected" || what === "response";
    const platformStall = isDuringAttempt ? "stallDuringAttempt" : "stall";
    if (schedule.chance(this.#rate(isReceiver ? "receiverStall" : platformStall))) {
      const durationMs = schedule.between(100, maxStallMs);
      process.stalledUntilMs = schedule.nowMs + durationMs;
      this.#checker.recordDisturbance(process, durationMs);
    }
    if (!isReceiver && schedule.chance(this.#rate("stop"))) this.#stopGracefully(process);
    if (schedule.chance(this.#rate("clockJump")))
      process.jumpClock(schedule.nowMs, schedule.between(-3_600_000, 3_600_000));
    if (schedule.chance(this.#rate("databaseClockJump"))) {
      this.#database.offsetMs += schedule.between(-2_000, 10_000);
      this.#checker.recordDatabaseClockJump();
    }
  }

  /** Kills a process, and restarts it after a while. Does nothing if the scenario has no restarts left. */
  #kill(process: Process): void {
    if (this.#restarts >= maxRestarts) return;
    process.stop();
    this.#checker.recordDisturbance(process);
    this.#scheduleRestart(process, this.#schedule.between(10, 8_000));
  }

  /**
   * Stops a platform process gracefully, and restarts it after a while. Does nothing for any other process, for a platform that is already
   * stopping, or if the scenario has no restarts left.
   */
  #stopGracefully(process: Process): void {
    const platform = this.#platforms.find((candidate) => candidate.process === process);
    if (platform === undefined || platform.isStopping || this.#restarts >= maxRestarts) return;
    this.#checker.recordDisturbance(process, 20_000);
    void this.#schedule.run(process, () => platform.stop());
    this.#scheduleRestart(process, this.#schedule.between(10, 20_000));
  }

  #scheduleRestart(process: Process, delayMs: number): void {
    this.#restarts += 1;
    this.#pendingRestarts += 1;
    this.#schedule.after(undefined, delayMs, "restart", () => {
      this.#pendingRestarts -= 1;
      if (process === this.#receiver.process) return this.#receiver.restart();
      if (process !== this.#api.process) return this.#startPlatform(`${process.name}+`);
      this.#api = this.#startApi();
    });
  }

  /** Runs a user's action in the API process. */
  #runInApi(work: (store: Store, now: Date) => Promise<unknown>): void {
    const { process, store } = this.#api;
    if (process.isStopped) return;
    const now = wallClock(this.#schedule, process);
    void this.#schedule.run(process, () => work(store, now).catch(this.#onError));
  }

  /** Records an event, and sometimes enables the endpoint, saves its profile or retries a delivery. */
  #performUserActions(index: number): void {
    const schedule = this.#schedule;
    const { faults, keys } = this.#scenario;
    const organisationId = schedule.pick(this.#organisationIds);
    const workerId = `worker-${schedule.between(1, keys)}`;
    this.#runInApi(async (store) => {
      const data = { offerId: "offer-1", workerId, response: `response ${index}` };
      const { deliveryId } = await store.transaction((trx) =>
        recordEvent(trx, organisationId, { type: "workerOfferResponse", data }),
      );
      if (deliveryId !== undefined) this.#confirmedIds.add(deliveryId);
    });
    if (schedule.chance(faults.enable ?? 0))
      this.#runInApi((store) => this.#enableEndpoint(store, organisationId, false));
    if (schedule.chance(faults.profile ?? 0))
      this.#runInApi((store) => this.#enableEndpoint(store, organisationId, true));
    if (schedule.chance(faults.retryNow ?? 0))
      this.#runInApi(async (store, now) => {
        const [id] = [...this.#confirmedIds].filter((deliveryId) => !this.#checker.isHandled(deliveryId));
        if (id === undefined) return;
        this.#checker.recordRestart(organisationId);
        await retryNow(store, organisationId, id, now);
      });
  }

  /** Enables the endpoint, as the portal does once its checks have passed. */
  async #enableEndpoint(store: Store, organisationId: string, savesSecret: boolean): Promise<void> {
    this.#checker.recordRestart(organisationId);
    await store.transaction(async (trx) => {
      if (savesSecret)
        await trx
          .updateTable("endpoints")
          .set({ encrypted_secret: encrypt(secret, encryptionKey, organisationId) })
          .where("organisation_id", "=", organisationId)
          .execute();
      await enableEndpoint(trx, organisationId, (path) => path);
    });
    this.#checker.recordRestart(organisationId);
    await restartSchedules(store, organisationId);
  }

  /** Stops all faults, and enables the endpoints that would not otherwise recover within `recoveryMs`. */
  async #heal(): Promise<void> {
    const schedule = this.#schedule;
    schedule.beforeStep = () => undefined;
    this.#database.faults = noDatabaseFaults;
    this.#network.faults = noNetworkFaults;
    for (const process of this.#listProcesses()) process.jumpClock(schedule.nowMs, 0);
    const healedAt = wallClock(schedule, this.#api.process).toISOString();
    // A stalled process may still have claimed deliveries.
    const isStalled = ({ isStopped, stalledUntilMs }: Process): boolean =>
      !isStopped && stalledUntilMs > schedule.nowMs;
    await schedule.runUntil(() => !this.#listProcesses().some(isStalled), maxStallMs);
    await schedule.runUntil(() => this.#pendingRestarts === 0, 30_000);
    // One more failure, perhaps of a request in progress, would delay these deliveries by 15 minutes.
    await this.#enableFailing(`
      select organisation_id as id from deliveries
      where state = 'pending' and (attempts >= 2 or due_at > now() + interval '60 s')`);
    await schedule.runUntil(() => !this.#checker.isWaiting, 30_000);
    // Wait for the transactions that stalled processes left open.
    await schedule.runUntil(() => false, 3_000);
    // A process pauses for up to two seconds before it retries to commit an outcome.
    for (let passedMs = 0; passedMs < 12_000; passedMs += 1_000) {
      if ((await this.#readCommitted("select from outbox_leases limit 1")).length === 0) break;
      await schedule.runUntil(() => false, 1_000);
    }
    // A receiver may reject attempts while an earlier handler is still running. Such a late failure also delays the delivery.
    await this.#enableFailing(`
      select organisation_id as id from endpoints
      where disabled_at is not null or breaker_open_until > now() + interval '60 s'
      union all select organisation_id from deliveries
      where state = 'pending' and due_at > now() + interval '60 s' and exists (
        select from attempts where delivery_id = deliveries.id and error is not null and started_at > '${healedAt}')`);
  }

  /** Enables the endpoints of the organisations that the query selects. */
  async #enableFailing(query: string): Promise<void> {
    const organisations = await this.#readCommitted<{ id: string }>(
      `select distinct id from (${query}) as failing order by id`,
    );
    for (const { id } of organisations) this.#runInApi((store) => this.#enableEndpoint(store, id, false));
  }

  /** Waits until no delivery is pending and no lease remains, but no longer than `recoveryMs`. */
  async #waitUntilRecovered(): Promise<void> {
    for (let passedMs = 0; passedMs < recoveryMs; passedMs += 1_000) {
      const areAllHandled = [...this.#confirmedIds].every((id) => this.#checker.isHandled(id));
      if (areAllHandled || passedMs > 20_000) {
        const unfinished = await this.#readCommitted(
          "select from deliveries where state = 'pending' union all select from outbox_leases",
        );
        if (unfinished.length === 0) return;
      }
      await this.#schedule.runUntil(() => false, 1_000);
    }
  }

  async #readOutcome(): Promise<Outcome> {
    return {
      deliveries: await this.#readCommitted<Delivery>(
        "select id, sequence, organisation_id, order_key, state from deliveries order by sequence",
      ),
      handled: await this.#readCommitted<HandledRow>("select delivery_id from handled order by id"),
      acknowledgements: await this.#readCommitted<{ delivery_id: string; count: number }>(
        "select delivery_id, count(*)::int as count from attempts where error is null group by delivery_id",
      ),
      confirmedIds: this.#confirmedIds,
    };
  }

  /** Reads committed rows. Waits until no transaction is open, because all connections share one session. */
  async #readCommitted<Row>(text: string): Promise<Row[]> {
    await this.#schedule.runUntil(() => this.#database.isIdle, 60_000);
    return this.#database.query<Row>(text);
  }
}
