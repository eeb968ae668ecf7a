import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { applyAction } from "../../src/offers/apply-action.ts";
import { createOffer } from "../../src/offers/create-offer.ts";
import type { Action } from "../../src/offers/transition.ts";
import { openLeases } from "../../src/outbox/open-leases.ts";
import { startPush } from "../../src/push/start-push.ts";
import type { Store } from "../../src/store/store.ts";
import { addDevice, removeDevice } from "../../src/worker-app/devices.ts";
import { addOrganisation, type LowerHalf } from "../support/lower-half.ts";
import { virtualTime } from "../support/virtual-time.ts";
import { PushService, type Treatment } from "./push-service.ts";
import { type PushDeed, type PushStories, workersPerStory } from "./push-stories.ts";

/** What came of stories. */
export interface PushStoriesOutcome {
  /** Pushes that began. */
  pushes: number;
  /** Each that began after a newer one, or beside one to the same device about the same offer. */
  overtaken: string[];
  /** Devices that were not told the latest of an offer, when the push service took everything again. */
  untold: unknown[];
  /** What happened to an offer and is not on a recipient's menu. */
  missing: unknown[];
}

/** Plays stories to their end, at which the push service takes everything. */
export async function playPushStories(half: LowerHalf, stories: PushStories): Promise<PushStoriesOutcome> {
  const { store } = half;
  const service = new PushService();
  const casts = await Promise.all(stories.stories.map(() => PushCast.join(store)));
  service.treatmentOf = (offerId) => casts.find((cast) => cast.offerIds.includes(offerId))?.service ?? "takes";
  const time = virtualTime(half, { queue: "pushes", hanging: () => service.hanging });
  const processes = [await startProcess(half, service), await startProcess(half, service)];
  for (const [number, { ms, restarts }] of stories.pauses.entries()) {
    await Promise.all(casts.map((cast, index) => cast.play(stories.stories[index]?.[number])));
    await time.quiet();
    service.endHanging();
    if (restarts) {
      await processes.shift()?.stop();
      processes.push(await startProcess(half, service));
    }
    await time.quiet();
    await time.advance(ms);
  }
  for (const cast of casts) cast.service = "takes";
  service.endHanging();
  await time.until(async () => (await countDue(store)) === 0);
  for (const each of processes) await each.stop();
  const offerIds = casts.flatMap((cast) => cast.offerIds);
  return {
    ...{ pushes: service.count, overtaken: service.order.faults },
    untold: await findUntold(store, service, offerIds),
    missing: await findMissing(store, offerIds),
  };
}

async function startProcess({ store, errors, adopt }: LowerHalf, service: PushService) {
  const leases = await openLeases(store, { onError: (error) => errors.push(error) });
  const push = adopt(startPush({ store, leases, transport: service, onError: () => undefined }));
  return {
    async stop(): Promise<void> {
      const ending = setInterval(() => service.endHanging(new Error("the process ends")), 1);
      await push.stop();
      clearInterval(ending);
      await leases.stop();
    },
  };
}

/** The organisation, the workers and the devices of one story. */
class PushCast {
  readonly offerIds: string[] = [];
  service: Treatment = "takes";
  readonly #store: Store;
  readonly #organisationId: string;
  readonly #workerIds = Array.from({ length: workersPerStory }, () => randomUUID());
  readonly #devices: { id: string; workerId: string; token: string }[] = [];

  static async join(store: Store): Promise<PushCast> {
    const cast = new PushCast(store, await addOrganisation(store));
    const workers = cast.#workerIds.map((id) => ({ id, name: "Ann", password_hash: "" }));
    await store.db.insertInto("workers").values(workers).execute();
    for (const workerId of cast.#workerIds) await cast.#register(workerId, randomUUID());
    return cast;
  }

  private constructor(store: Store, organisationId: string) {
    this.#store = store;
    this.#organisationId = organisationId;
  }

  async play(round: { service: Treatment; deeds: readonly PushDeed[] } | undefined): Promise<void> {
    if (round === undefined) return;
    this.service = round.service;
    for (const deed of round.deeds) await this.#do(deed);
  }

  async #do(deed: PushDeed): Promise<void> {
    if (deed.does === "create") return this.#create(deed.workers);
    if (deed.does === "withdraw") return this.#act(deed.offer, { type: "withdraw" });
    const workerId = this.#workerIds[deed.worker] ?? "";
    if (deed.does === "complete") {
      await this.#act(deed.offer, { type: "apply", workerId });
      return this.#act(deed.offer, { type: "complete", workerIds: [workerId] });
    }
    if (deed.does === "add a device") return this.#register(workerId, randomUUID());
    const index = this.#devices.findIndex((each) => (each.workerId === workerId) === (deed.does === "remove a device"));
    const [device] = index < 0 ? [] : this.#devices.splice(index, 1);
    if (device === undefined) return;
    if (deed.does === "remove a device") await removeDevice(this.#store, workerId, device.id);
    else await this.#register(workerId, device.token);
  }

  async #create(workers: readonly number[]): Promise<void> {
    const workerIds = workers.map((index) => this.#workerIds[index] ?? "");
    const input = { createdByUserId: "user-1", title: "Bar", workerIds };
    await this.#store.transaction(async (trx) => {
      this.offerIds.push(await createOffer(trx, { now }, this.#organisationId, input));
    });
  }

  async #act(offer: number, action: Action): Promise<void> {
    const offerId = this.offerIds[offer % this.offerIds.length] ?? "";
    const actor = "workerId" in action ? { workerId: action.workerId } : { organisationId: this.#organisationId };
    await this.#store.transaction((trx) => applyAction(trx, { now }, actor, offerId, action));
  }

  /** As the one whose token it is. */
  async #register(workerId: string, token: string): Promise<void> {
    const { id } = await this.#store.transaction((trx) => addDevice(trx, workerId, { platform: "ios", token }));
    this.#devices.push({ id, workerId, token });
  }
}

const now = (): Date => new Date();

async function countDue({ db }: Store): Promise<number> {
  const due = db.selectFrom("notifications").select(({ fn }) => fn.countAll<number>().as("count"));
  return (await due.where("due_at", "is not", null).executeTakeFirstOrThrow()).count;
}

async function findUntold({ db }: Store, service: PushService, offerIds: readonly string[]) {
  const latest = await db
    .selectFrom("notifications")
    .innerJoin("devices", "devices.id", "notifications.device_id")
    .select(({ fn }) => ["offer_id", "device_id", fn.max("notifications.id").as("id")])
    .where("offer_id", "in", offerIds)
    .groupBy(["offer_id", "device_id"])
    .execute();
  return latest.filter(({ offer_id, device_id, id }) => service.lastTaken(offer_id, device_id ?? "") !== id);
}

async function findMissing({ db }: Store, offerIds: readonly string[]): Promise<unknown[]> {
  const { rows } = await sql`
    select recipients.worker_id, recipients.offer_id, told.reason
    from offers
    join recipients on recipients.offer_id = offers.id
    cross join lateral (values
      ('offer', true),
      ('withdrawn', withdrawn_at is not null),
      (case when confirmation = 'confirmed' then 'successful' else 'unsuccessful' end, completed_at is not null)
    ) as told (reason, happened)
    where offers.id = any (array(select json_array_elements_text(${JSON.stringify(offerIds)}::text::json))) and happened
      and not exists (select from notifications where notifications.worker_id = recipients.worker_id
        and notifications.offer_id = offers.id and notifications.reason = told.reason)`.execute(db);
  return rows;
}
