import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "../context.ts";
import { awaitResponse, postShift, readRoster, readShift } from "./shift.ts";

/** Shows an offer that is created, receives every kind of response, and is completed. */
export async function showFilledOffer(context: Context): Promise<void> {
  const { reporter, amal, ben, cleo, hirer, integrator, statuses } = context;
  reporter.scenario("An offer is filled");

  const offerId = await reporter.step("Harbour Hotels offers a shift to Amal, Ben and Cleo", () =>
    postShift(context, "Kitchen help on Friday"),
  );
  await reporter.step("each phone receives a push notification", async () => {
    await Promise.all([amal, ben, cleo].map((phone) => phone.awaitNotification("offer", offerId)));
  });
  await reporter.step("Cleo finds the offer in the notifications menu too", async () => {
    const notifications = await cleo.listNotifications();
    assert.ok(
      notifications.some((notification) => notification.offerId === offerId && notification.reason === "offer"),
    );
  });
  await reporter.step("Amal opens the offer and applies", async () => {
    assert.equal(await amal.performAction("open", offerId), 204);
    assert.equal(await amal.performAction("apply", offerId), 204);
    await awaitResponse(context, offerId, "worker_amal", "accepted");
  });
  await reporter.step("Ben rejects", async () => {
    assert.equal(await ben.performAction("reject", offerId), 204);
    await awaitResponse(context, offerId, "worker_ben", "rejected");
  });
  await reporter.step("Cleo closes the offer without responding, and no webhook is sent", async () => {
    assert.equal(await cleo.performAction("open", offerId), 204);
    assert.equal(await cleo.performAction("close", offerId), 204);
    // A webhook would arrive within this time.
    await sleep(300);
    assert.deepEqual((await readRoster(integrator)).offers[offerId], {
      worker_amal: "accepted",
      worker_ben: "rejected",
    });
  });
  await reporter.step("the hirer reads the offer with each worker's current response", async () => {
    const { complete, widthdrawn, isHistoric, recipients } = await readShift(context, offerId);
    assert.deepEqual({ complete, widthdrawn, isHistoric }, { complete: false, widthdrawn: false, isHistoric: false });
    assert.deepEqual(
      recipients.map(({ name, response, confirmation }) => [name, response, confirmation]),
      [
        ["Amal Haddad", "applied", ""],
        ["Ben Okafor", "rejected", ""],
        ["Cleo Martin", "none", ""],
      ],
    );
  });
  await reporter.step("Ben changes his mind and applies", async () => {
    assert.equal(await ben.performAction("apply", offerId), 204);
    await awaitResponse(context, offerId, "worker_ben", "accepted");
  });
  await reporter.step("completing with Cleo, who has not applied, is rejected", async () => {
    const { status } = await hirer.call("POST", `/shifts/${offerId}/staff`, { body: { workers: ["worker_cleo"] } });
    assert.equal(status, 400);
  });
  await reporter.step("the hirer completes the offer: Amal gets the work", async () => {
    const { status } = await hirer.call("POST", `/shifts/${offerId}/staff`, { body: { workers: ["worker_amal"] } });
    assert.equal(status, 204);
  });
  await reporter.step("every worker is notified of whether they got the work", async () => {
    await amal.awaitNotification("successful", offerId);
    await ben.awaitNotification("unsuccessful", offerId);
    await cleo.awaitNotification("unsuccessful", offerId);
  });
  await reporter.step("the offer reads as complete, with Amal confirmed", async () => {
    const { complete, applicants, recipients } = await readShift(context, offerId);
    assert.equal(complete, true);
    assert.deepEqual(applicants, ["worker_amal", "worker_ben"]);
    assert.deepEqual(
      recipients.map(({ confirmation }) => confirmation !== ""),
      [true, false, false],
    );
  });
  await reporter.step("completing it again is a conflict, and so is a late response", async () => {
    const { status } = await hirer.call("POST", `/shifts/${offerId}/staff`, { body: { workers: ["worker_ben"] } });
    assert.equal(status, statuses.conflict);
    assert.equal(await cleo.performAction("apply", offerId), 409);
  });
}
