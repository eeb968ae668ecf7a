import { beforeAll, describe, expect, test } from "vitest";
import { responseDigestMinutes } from "../../src/generated/decisions.ts";
import { applyAction } from "../../src/offers/apply-action.ts";
import { createOffer } from "../../src/offers/create-offer.ts";
import type { Action } from "../../src/offers/transition.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { useDeliveryFixture } from "../support/use-opened.ts";
import { linkTo } from "./link-to.ts";

const address = "hana@example.com";

describe("mails about an offer", async () => {
  const fixture = useDeliveryFixture();
  let organisationId: string;
  const workerIds = ["amal", "ben", "cleo"];
  const now = () => new Date();
  beforeAll(async () => {
    organisationId = await addOrganisation(fixture.store);
    const { db } = fixture.store;
    await db.updateTable("organisations").set({ time_zone: "Europe/London" }).execute();
    await db
      .insertInto("workers")
      .values(workerIds.map((id) => ({ id, name: `Worker ${id}`, password_hash: "" })))
      .execute();
  });

  const create = (title: string, changes: { notifyEmailAddress?: string } = { notifyEmailAddress: address }) =>
    fixture.store.transaction((trx) =>
      createOffer(trx, { now, linkTo }, organisationId, {
        createdByUserId: "user-1",
        title,
        workerIds,
        locationPlaceId: "place_kitchen",
        ...changes,
        events: [{ start: "2027-03-27T22:00:00Z", end: "2027-03-28T05:00:00Z" }],
      }),
    );
  const act = (offerId: string, action: Action) =>
    fixture.store.transaction((trx) =>
      applyAction(trx, { now, linkTo }, "workerId" in action ? action : { organisationId }, offerId, action),
    );
  const mailsOf = (offerId: string) =>
    fixture.store.db
      .selectFrom("mails")
      .select(["to_address", "subject", "body", "due_at", "created_at"])
      .where("body", "like", `%/offers/${offerId}%`)
      .orderBy("id")
      .execute();
  const subjects = async (offerId: string) => (await mailsOf(offerId)).map(({ subject }) => subject);

  test("say what, when and where on creation, and link to the page [D-121]", async () => {
    const id = await create("Kitchen help");
    const [mail] = await mailsOf(id);
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

  test("combine the responses of ten minutes [D-121]", async () => {
    const id = await create("Bar");
    await act(id, { type: "apply", workerId: "amal" });
    await act(id, { type: "apply", workerId: "amal" });
    await act(id, { type: "reject", workerId: "ben" });
    const [, digest, ...others] = await mailsOf(id);
    expect(others).toEqual([]);
    expect(digest?.subject).toBe("2 responses: Bar");
    expect(digest?.body).toContain(
      "Worker amal applied\nWorker ben rejected\n\nIn total, 1 applied, 1 rejected, and 1 has not responded.",
    );
    const { rows } = (await fixture.store.execute(
      `select extract(epoch from due_at - now()) / 60 as minutes from mails where digest_of = '${id}'`,
    )) as unknown as { rows: { minutes: string }[] };
    expect(Math.round(Number(rows[0]?.minutes))).toBe(responseDigestMinutes);
    // Once the email is due, the next response starts another email.
    await fixture.store.execute(`update mails set due_at = now() where digest_of = '${id}'`);
    await act(id, { type: "apply", workerId: "cleo" });
    expect(await subjects(id)).toEqual(["Offer created: Bar", "2 responses: Bar", "1 response: Bar"]);
    expect((await mailsOf(id)).at(-1)?.body).toContain("In total, 2 applied, 1 rejected, and 0 have not responded.");
  });

  test("report the end immediately and replace pending responses [D-121]", async () => {
    const complete = await create("Terrace");
    await act(complete, { type: "apply", workerId: "amal" });
    await act(complete, { type: "complete", workerIds: ["amal"] });
    expect(await subjects(complete)).toEqual(["Offer created: Terrace", "Offer complete: Terrace"]);
    expect((await mailsOf(complete)).at(-1)?.body).toContain("Worker amal gets the work");
    const withdrawn = await create("Breakfast");
    await act(withdrawn, { type: "withdraw" });
    await act(withdrawn, { type: "withdraw" });
    expect(await subjects(withdrawn)).toEqual(["Offer created: Breakfast", "Offer withdrawn: Breakfast"]);
  });

  test("are not sent without an address or for a view", async () => {
    const silent = await create("Silent", {});
    await act(silent, { type: "apply", workerId: "amal" });
    await act(silent, { type: "withdraw" });
    expect(await mailsOf(silent)).toEqual([]);
    const viewed = await create("Viewed");
    await act(viewed, { type: "open", workerId: "amal" });
    await act(viewed, { type: "close", workerId: "amal" });
    expect(await subjects(viewed)).toEqual(["Offer created: Viewed"]);
  });
});
