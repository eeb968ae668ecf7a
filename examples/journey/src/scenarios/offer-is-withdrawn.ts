import assert from "node:assert/strict";
import type { Context } from "../context.ts";
import { awaitResponse, postShift, readShift } from "./shift.ts";

/** Shows that the hirer can withdraw an offer, and that every worker who was sent the offer is notified once. */
export async function showWithdrawnOffer(context: Context): Promise<void> {
  const { reporter, amal, ben, cleo, hirer, statuses } = context;
  const phones = [amal, ben, cleo];
  reporter.scenario("An offer is withdrawn");

  const offerId = await reporter.step("a second offer is sent, and Amal applies", async () => {
    const id = await postShift(context, "Breakfast on Sunday");
    await amal.awaitNotification("offer", id);
    assert.equal(await amal.performAction("apply", id), 204);
    await awaitResponse(context, id, "worker_amal", "accepted");
    return id;
  });
  await reporter.step("the hirer withdraws it", async () => {
    const { status } = await hirer.call("POST", `/shifts/${offerId}/cancel`);
    assert.equal(status, 204);
  });
  await reporter.step("every worker the offer was sent to is notified", async () => {
    await Promise.all(phones.map((phone) => phone.awaitNotification("withdrawn", offerId)));
  });
  await reporter.step("the offer reads as withdrawn, in the field that the contract spells `widthdrawn`", async () => {
    const { widthdrawn, complete } = await readShift(context, offerId);
    assert.deepEqual({ widthdrawn, complete }, { widthdrawn: true, complete: false });
  });
  await reporter.step("withdrawing again changes nothing", async () => {
    const { status } = await hirer.call("POST", `/shifts/${offerId}/cancel`);
    assert.equal(status, 204);
    const { widthdrawn, complete } = await readShift(context, offerId);
    assert.deepEqual({ widthdrawn, complete }, { widthdrawn: true, complete: false });
    for (const phone of phones) assert.equal(phone.countNotifications("withdrawn", offerId), 1);
  });
  await reporter.step("it can no longer be completed or responded to", async () => {
    const { status } = await hirer.call("POST", `/shifts/${offerId}/staff`, { body: { workers: ["worker_amal"] } });
    assert.equal(status, statuses.conflict);
    assert.equal(await ben.performAction("apply", offerId), 409);
  });
}
