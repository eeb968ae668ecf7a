import { beforeAll, expect, test } from "vitest";
import { applyAction } from "../../src/offers/apply-action.ts";
import { createOffer } from "../../src/offers/create-offer.ts";
import type { Action } from "../../src/offers/transition.ts";
import { linkTo } from "../mail/link-to.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { useStore } from "../support/use-opened.ts";

const store = useStore();
let organisationId: string;
beforeAll(async () => {
  organisationId = await addOrganisation(store);
  await store.db.insertInto("workers").values({ id: "amal", name: "Amal", password_hash: "" }).execute();
});

test("everything that a transaction stores has the same time", async () => {
  const create = {
    createdByUserId: "user-1",
    title: "Bar",
    workerIds: ["amal"],
    notifyEmailAddress: "hana@example.com",
  };
  const offerId = await store.transaction((trx) => createOffer(trx, { linkTo }, organisationId, create));
  const act = (action: Action) => {
    const actor = "workerId" in action ? { workerId: action.workerId } : { organisationId };
    return store.transaction((trx) => applyAction(trx, { linkTo }, actor, offerId, action));
  };
  await act({ type: "apply", workerId: "amal" });
  await act({ type: "complete", workerIds: ["amal"] });
  await act({ type: "withdraw" });
  const offer = await store.db.selectFrom("offers").selectAll().executeTakeFirstOrThrow();
  const recipient = await store.db.selectFrom("recipients").selectAll().executeTakeFirstOrThrow();
  const notifications = await store.db.selectFrom("notifications").select("created_at").orderBy("id").execute();
  const event = await store.db.selectFrom("events").select("created_at").executeTakeFirstOrThrow();
  const mails = await store.db.selectFrom("mails").select("created_at").orderBy("id").execute();
  const times = [offer.created_at, recipient.responded_at, offer.completed_at, offer.withdrawn_at];
  expect([0, 2, 3].map((index) => times[index])).toEqual(notifications.map(({ created_at }) => created_at));
  expect(recipient.responded_at).toEqual(event.created_at);
  // The email about the completion includes the response.
  expect(mails.map(({ created_at }) => created_at)).toEqual([0, 2, 3].map((index) => times[index]));
});
