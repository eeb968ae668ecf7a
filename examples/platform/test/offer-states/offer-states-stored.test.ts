import { beforeAll, describe, expect, test } from "vitest";
import { fc } from "../../../../scripts/property-seed.ts";
import { applyAction } from "../../src/offers/apply-action.ts";
import { createOffer } from "../../src/offers/create-offer.ts";
import type { OfferDeps } from "../../src/offers/offer-deps.ts";
import type { Store } from "../../src/store/store.ts";
import { linkTo } from "../mail/link-to.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { anyStore } from "../support/stores/stores.ts";
import { useDeliveryFixture } from "../support/use-opened.ts";
import { type Model, type OffersUnderTest, offerCommands, offerScenario, workerIds } from "./offer-commands.ts";
import type { OfferSnapshot, Organisation } from "./offer-history.ts";

type Organisations = Record<Organisation, string>;

/** Creates offers in the store. They are changed by the platform's operations, but read with separate SQL. */
function createStoredOffers(deps: OfferDeps, organisations: Organisations): OffersUnderTest {
  const offerIds: string[] = [];
  return {
    async create(ids) {
      const input = { createdByUserId: "hana", title: "Kitchen help", workerIds: [...ids] };
      offerIds.push(await deps.store.transaction((trx) => createOffer(trx, deps, organisations.ours, input)));
    },
    async act(offerNumber, step) {
      const offerId = offerIds[offerNumber] ?? "";
      const actor = "workerId" in step ? step : { organisationId: organisations[step.organisation] };
      const result = await deps.store.transaction((trx) => applyAction(trx, deps, actor, offerId, step));
      if (result === "done") return result;
      return result.code === "not_addressed" ? "offer_not_found" : result.code;
    },
    readSnapshots: () => Promise.all(offerIds.map((id) => readSnapshot(deps.store, organisations, id))),
  };
}

async function readSnapshot({ db }: Store, organisations: Organisations, offerId: string): Promise<OfferSnapshot> {
  const offer = await db.selectFrom("offers").selectAll().where("id", "=", offerId).executeTakeFirstOrThrow();
  const recipients = await db
    .selectFrom("recipients")
    .select(["worker_id as workerId", "response", "confirmation"])
    .where("offer_id", "=", offerId)
    .orderBy("id")
    .execute();
  const deliveries = await db
    .selectFrom("events")
    .leftJoin("deliveries", "event_id", "events.id")
    .select(["deliveries.organisation_id", "data"])
    .where(({ eb, ref }) => eb(ref("data", "->>").key("offerId"), "=", offerId))
    .orderBy("sequence")
    .execute();
  const notifications = await db
    .selectFrom("notifications")
    .select(["worker_id", "reason"])
    .where("offer_id", "=", offerId)
    .orderBy("id")
    .execute();
  return {
    complete: offer.completed_at !== null,
    withdrawn: offer.withdrawn_at !== null,
    recipients,
    events: deliveries.map(({ organisation_id, data: { workerId = "", response = "" } }) => ({
      organisation: organisation_id === organisations.ours ? "ours" : "theirs",
      workerId,
      response,
    })),
    notifications: Object.fromEntries(
      workerIds.map((id) => [
        id,
        notifications.flatMap((notification) => (notification.worker_id === id ? [notification.reason] : [])),
      ]),
    ),
  };
}

describe.each(await anyStore())("stored offers on $title", ({ createDatabase }) => {
  const fixture = useDeliveryFixture(createDatabase);
  let organisations: Organisations;

  beforeAll(async () => {
    const { db } = fixture.store;
    // Nothing is listening at this address, so deliveries stay pending and can be read.
    const address = "http://127.0.0.1:9";
    organisations = {
      ours: await addOrganisation(fixture.store, address),
      theirs: await addOrganisation(fixture.store, address),
    };
    for (const id of workerIds) {
      await db.insertInto("workers").values({ id, name: id, password_hash: "" }).execute();
      await db
        .insertInto("devices")
        .values({ id: `phone of ${id}`, worker_id: id, platform: "ios" })
        .execute();
    }
  });

  const setUp = () => {
    const deps = {
      store: fixture.store,
      now: () => new Date(),
      signals: { publish: () => undefined },
      linkTo,
    };
    const model: Model = { histories: [], snapshots: [], onOutcome: () => undefined };
    return { model, real: createStoredOffers(deps, organisations) };
  };

  test("stored offers match their histories in the fixed scenario, including notifications", () =>
    fc.asyncModelRun(setUp, offerScenario));

  test("stored offers match their histories after random steps, including notifications", async () => {
    const property = fc.asyncProperty(offerCommands(30), (commands) => fc.asyncModelRun(setUp, commands));
    await fc.assert(property, { numRuns: 30, interruptAfterTimeLimit: 4_000 });
    expect(fixture.errors).toEqual([]);
  });
});
