import { beforeAll, describe, expect, test } from "vitest";
import { responseDigestMinutes } from "../../src/generated/decisions.ts";
import { applyAction } from "../../src/offers/apply-action.ts";
import { createOffer } from "../../src/offers/create-offer.ts";
import type { Action } from "../../src/offers/transition.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { useDeliveryFixture } from "../support/use-opened.ts";
import { linkTo } from "./link-to.ts";

const address = "hana@example.com";

describe("mails about offers", async () => {
  const fixture = useDeliveryFixture();
  let organisationId: string;
  const workerIds = ["amal", "ben", "cleo"];
  beforeAll(async () => {
    organisationId = await addOrganisation(fixture.store);
    const { db } = fixture.store;
    await db.updateTable("organisations").set({ time_zone: "Europe/London" }).execute();
    await db
      .insertInto("workers")
      .values(workerIds.map((id) => ({ id, name: `Worker ${id}`, password_hash: "" })))
      .execute();
  });

  const createTestOffer = (title: string, changes: { notifyEmailAddress?: string } = { notifyEmailAddress: address }) =>
    fixture.store.transaction((trx) =>
      createOffer(trx, { linkTo }, organisationId, {
        createdByUserId: "user-1",
        title,
        workerIds,
        locationPlaceId: "place_kitchen",
        ...changes,
        events: [{ start: "2027-03-27T22:00:00Z", end: "2027-03-28T05:00:00Z" }],
      }),
    );
  const performAction = (offerId: string, action: Action) => {
    const actor = "workerId" in action ? { workerId: action.workerId } : { organisationId };
    return fixture.store.transaction((trx) => applyAction(trx, { linkTo }, actor, offerId, action));
  };
  const readMails = (offerId: string) =>
    fixture.store.db
      .selectFrom("mails")
      .select(["to_address", "subject", "body", "due_at", "created_at"])
      .where("body", "like", `%/offers/${offerId}%`)
      .orderBy("id")
      .execute();
  const readSubjects = async (offerId: string) => (await readMails(offerId)).map(({ subject }) => subject);

  test("the mail about a new offer contains its title, time, place and a link to its page [D-121]", async () => {
    const id = await createTestOffer("Kitchen help");
    const [mail] = await readMails(id);
    expect(mail).toMatchObject({ to_address: address, subject: "Offer created: Kitchen help" });
    expect(mail?.body.replaceAll(/[\u2009\u202f]/g, " ").split("\n")).toEqual([
      'The offer "Kitchen help" was created and sent to 3 workers.',
      "",
      "When: Sat, 27 Mar 2027, 22:00 GMT – Sun, 28 Mar 2027, 06:00 BST",
      "Where: place_kitchen",
      "",
      `https://offers.example/offers/${id}`,
      "",
    ]);
  });

  test("responses within ten minutes are combined in one mail [D-121]", async () => {
    const id = await createTestOffer("Bar");
    await performAction(id, { type: "apply", workerId: "amal" });
    await performAction(id, { type: "apply", workerId: "amal" });
    await performAction(id, { type: "reject", workerId: "ben" });
    const [, digest, ...furtherMails] = await readMails(id);
    expect(furtherMails).toEqual([]);
    expect(digest?.subject).toBe("2 responses: Bar");
    expect(digest?.body).toContain(
      "Worker amal applied\nWorker ben rejected\n\nIn total, 1 applied, 1 rejected, and 1 has not responded.",
    );
    const { rows } = (await fixture.store.execute(
      `select extract(epoch from due_at - now()) / 60 as minutes from mails where digest_of = '${id}'`,
    )) as unknown as { rows: { minutes: string }[] };
    expect(Math.round(Number(rows[0]?.minutes))).toBe(responseDigestMinutes);
    // Once the mail is due, the next response starts a new mail.
    await fixture.store.execute(`update mails set due_at = now() where digest_of = '${id}'`);
    await performAction(id, { type: "apply", workerId: "cleo" });
    expect(await readSubjects(id)).toEqual(["Offer created: Bar", "2 responses: Bar", "1 response: Bar"]);
    expect((await readMails(id)).at(-1)?.body).toContain("In total, 2 applied, 1 rejected, and 0 have not responded.");
  });

  test("a completion or withdrawal is mailed immediately and replaces the pending responses [D-121]", async () => {
    const completedId = await createTestOffer("Terrace");
    await performAction(completedId, { type: "apply", workerId: "amal" });
    await performAction(completedId, { type: "complete", workerIds: ["amal"] });
    expect(await readSubjects(completedId)).toEqual(["Offer created: Terrace", "Offer complete: Terrace"]);
    expect((await readMails(completedId)).at(-1)?.body).toContain("Worker amal gets the work");
    const withdrawnId = await createTestOffer("Breakfast");
    await performAction(withdrawnId, { type: "withdraw" });
    await performAction(withdrawnId, { type: "withdraw" });
    expect(await readSubjects(withdrawnId)).toEqual(["Offer created: Breakfast", "Offer withdrawn: Breakfast"]);
  });

  test("no mails are sent for offers without an address, or when workers only open an offer", async () => {
    const silentId = await createTestOffer("Silent", {});
    await performAction(silentId, { type: "apply", workerId: "amal" });
    await performAction(silentId, { type: "withdraw" });
    expect(await readMails(silentId)).toEqual([]);
    const viewedId = await createTestOffer("Viewed");
    await performAction(viewedId, { type: "open", workerId: "amal" });
    await performAction(viewedId, { type: "close", workerId: "amal" });
    expect(await readSubjects(viewedId)).toEqual(["Offer created: Viewed"]);
  });
});
