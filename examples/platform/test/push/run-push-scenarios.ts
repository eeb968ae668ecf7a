import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { applyAction } from "../../src/offers/apply-action.ts";
import { createOffer } from "../../src/offers/create-offer.ts";
import type { Action } from "../../src/offers/transition.ts";
import { openLeases } from "../../src/outbox/leases.ts";
import { startPush } from "../../src/push/start-push.ts";
import { addDevice, removeDevice } from "../../src/routes/worker-app/devices.ts";
import type { Store } from "../../src/store/store.ts";
import { linkTo } from "../mail/link-to.ts";
import { addOrganisation, type DeliveryFixture } from "../support/delivery-fixture.ts";
import { createVirtualTime } from "../support/virtual-time.ts";
import { type PushScenarios, type PushStep, workersPerScenario } from "./push-scenario.ts";
import { type PushResponse, PushService } from "./push-service.ts";

/** The outcome of the scenarios. */
export interface PushScenariosResult {
  /** How many pushes have started. */
  pushCount: number;
  /** Pushes that started after a newer push, or during any push, to the same device about the same offer. */
  overtaken: string[];
  /** Devices that did not receive an offer's latest push after the push service had recovered. */
  unnotified: unknown[];
  /** Notifications that are missing from a recipient's menu. */
  missing: unknown[];
}

/** Runs the scenarios, and then makes the push service accept all remaining pushes. */
export async function runPushScenarios(
  fixture: DeliveryFixture,
  { scenarios, pauses }: PushScenarios,
): Promise<PushScenariosResult> {
  const { store } = fixture;
  const service = new PushService();
  const runners = await Promise.all(scenarios.map(() => ScenarioRunner.create(store)));
  service.decideResponse = (offerId) =>
    runners.find((runner) => runner.offerIds.includes(offerId))?.service ?? "accepts";
  const time = createVirtualTime(fixture, { queue: "pushes", countHanging: () => service.hangingCount });
  const processes = [await startProcess(fixture, service)];
  // Only one process can use PGlite, because a second process would release the claims of the first process when it starts.
  if (store.name !== "pglite") processes.push(await startProcess(fixture, service));
  for (const [roundIndex, { ms, restarts }] of pauses.entries()) {
    await Promise.all(runners.map((runner, index) => runner.runRound(scenarios[index]?.[roundIndex])));
    await time.waitUntilIdle();
    service.endHanging();
    if (restarts) {
      await processes.shift()?.stop();
      processes.push(await startProcess(fixture, service));
    }
    await time.waitUntilIdle();
    await time.advance(ms);
  }
  for (const runner of runners) runner.service = "accepts";
  service.endHanging();
  await time.advanceUntil(async () => (await countDue(store)) === 0);
  for (const process of processes) await process.stop();
  const offerIds = runners.flatMap((runner) => runner.offerIds);
  return {
    pushCount: service.startedCount,
    overtaken: service.order.violations,
    unnotified: await findUnnotified(store, service, offerIds),
    missing: await findMissing(store, offerIds),
  };
}

async function startProcess({ store, errors, adopt }: DeliveryFixture, service: PushService) {
  const leases = await openLeases(store, { onError: (error) => errors.push(error) });
  // Ignore errors, because the push service rejects some pushes on purpose.
  const push = adopt(startPush({ store, leases, transport: service, onError: () => undefined }));
  return {
    async stop(): Promise<void> {
      // `push.stop()` waits for pushes in progress, so end all pushes that hang meanwhile.
      const endTimer = setInterval(() => service.endHanging(new Error("the process ends")), 1);
      await push.stop();
      clearInterval(endTimer);
      await leases.stop();
    },
  };
}

/** Runs one scenario with an organisation, workers and devices. */
class ScenarioRunner {
  readonly offerIds: string[] = [];
  service: PushResponse = "accepts";
  readonly #store: Store;
  readonly #organisationId: string;
  readonly #workerIds = Array.from({ length: workersPerScenario }, () => randomUUID());
  readonly #devices: { id: string; workerId: string; token: string }[] = [];

  static async create(store: Store): Promise<ScenarioRunner> {
    const runner = new ScenarioRunner(store, await addOrganisation(store));
    const workers = runner.#workerIds.map((id) => ({ id, name: "Ann", password_hash: "" }));
    await store.db.insertInto("workers").values(workers).execute();
    for (const workerId of runner.#workerIds) await runner.#register(workerId, randomUUID());
    return runner;
  }

  private constructor(store: Store, organisationId: string) {
    this.#store = store;
    this.#organisationId = organisationId;
  }

  async runRound(round: { service: PushResponse; steps: readonly PushStep[] } | undefined): Promise<void> {
    // A scenario may have fewer rounds than there are pauses.
    if (round === undefined) return;
    this.service = round.service;
    for (const step of round.steps) await this.#perform(step);
  }

  async #perform(step: PushStep): Promise<void> {
    if (step.type === "create") return this.#create(step.workers);
    if (step.type === "withdraw") return this.#act(step.offer, { type: "withdraw" });
    const workerId = this.#workerIds[step.worker] ?? "";
    if (step.type === "complete") {
      await this.#act(step.offer, { type: "apply", workerId });
      return this.#act(step.offer, { type: "complete", workerIds: [workerId] });
    }
    if (step.type === "add a device") return this.#register(workerId, randomUUID());
    if (step.type === "remove a device") return this.#removeDevice(workerId);
    return this.#takeOverDevice(workerId);
  }

  /** Removes a device of the worker, if there is one. */
  async #removeDevice(workerId: string): Promise<void> {
    const device = this.#devices.find((candidate) => candidate.workerId === workerId);
    if (device === undefined) return;
    this.#devices.splice(this.#devices.indexOf(device), 1);
    await removeDevice(this.#store, workerId, device.id);
  }

  /** Registers a device of a different worker for this worker, if there is one. */
  async #takeOverDevice(workerId: string): Promise<void> {
    const device = this.#devices.find((candidate) => candidate.workerId !== workerId);
    if (device === undefined) return;
    this.#devices.splice(this.#devices.indexOf(device), 1);
    await this.#register(workerId, device.token);
  }

  async #create(workerIndexes: readonly number[]): Promise<void> {
    const workerIds = workerIndexes.map((index) => this.#workerIds[index] ?? "");
    const input = { createdByUserId: "user-1", title: "Bar", workerIds };
    await this.#store.transaction(async (trx) => {
      this.offerIds.push(await createOffer(trx, { linkTo }, this.#organisationId, input));
    });
  }

  /** Performs an action on an offer. An index beyond the last offer starts again at the first offer. */
  async #act(offerIndex: number, action: Action): Promise<void> {
    const offerId = this.offerIds[offerIndex % this.offerIds.length] ?? "";
    const actor = "workerId" in action ? { workerId: action.workerId } : { organisationId: this.#organisationId };
    await this.#store.transaction((trx) => applyAction(trx, { linkTo }, actor, offerId, action));
  }

  /** Registers a device with this token for the worker. */
  async #register(workerId: string, token: string): Promise<void> {
    const { id } = await this.#store.transaction((trx) => addDevice(trx, workerId, { platform: "ios", token }));
    this.#devices.push({ id, workerId, token });
  }
}

async function countDue({ db }: Store): Promise<number> {
  const due = db.selectFrom("notifications").select(({ fn }) => fn.countAll<number>().as("count"));
  return (await due.where("due_at", "is not", null).executeTakeFirstOrThrow()).count;
}

/** Finds the devices that did not accept the latest push about an offer. */
async function findUnnotified({ db }: Store, service: PushService, offerIds: readonly string[]) {
  const latest = await db
    .selectFrom("notifications")
    .innerJoin("devices", "devices.id", "notifications.device_id")
    .select(({ fn }) => ["offer_id", "device_id", fn.max("notifications.id").as("id")])
    .where("offer_id", "in", offerIds)
    .groupBy(["offer_id", "device_id"])
    .execute();
  return latest.filter(({ offer_id, device_id, id }) => service.getLastAcceptedId(offer_id, device_id ?? "") !== id);
}

/** Finds the notifications that recipients should have but do not have. */
async function findMissing({ db }: Store, offerIds: readonly string[]): Promise<unknown[]> {
  const { rows } = await sql`
    select recipients.worker_id, recipients.offer_id, expected.reason
    from offers
    join recipients on recipients.offer_id = offers.id
    cross join lateral (values
      ('offer', true),
      ('withdrawn', withdrawn_at is not null),
      (case when confirmation = 'confirmed' then 'successful' else 'unsuccessful' end, completed_at is not null)
    ) as expected (reason, happened)
    where offers.id = any (array(select json_array_elements_text(${JSON.stringify(offerIds)}::text::json))) and happened
      and not exists (select from notifications where notifications.worker_id = recipients.worker_id
        and notifications.offer_id = offers.id and notifications.reason = expected.reason)`.execute(db);
  return rows;
}
