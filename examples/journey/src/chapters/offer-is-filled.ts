import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Stage } from "../stage.ts";
import { awaitAnswer, postShift, readRoster, readShift } from "./shift.ts";

/** An offer is created, answered in every way there is, and completed. */
export async function offerIsFilled(stage: Stage): Promise<void> {
  const { narrator, amal, ben, cleo, hirer, integrator, statuses } = stage;
  narrator.chapter("An offer is filled");

  const shift = await narrator.step("Harbour Hotels offers a shift to Amal, Ben and Cleo", () =>
    postShift(stage, "Kitchen help on Friday"),
  );
  await narrator.step("each of their phones receives a push notification", async () => {
    await Promise.all([amal, ben, cleo].map((phone) => phone.awaitPush("offer", shift)));
  });
  await narrator.step("Cleo finds the offer in the notifications menu too", async () => {
    const menu = await cleo.menu();
    assert.ok(menu.some(({ offerId, reason }) => offerId === shift && reason === "offer"));
  });
  await narrator.step("Amal opens the offer and applies", async () => {
    assert.equal(await amal.act("open", shift), 204);
    assert.equal(await amal.act("apply", shift), 204);
    await awaitAnswer(stage, shift, "worker_amal", "accepted");
  });
  await narrator.step("Ben rejects", async () => {
    assert.equal(await ben.act("reject", shift), 204);
    await awaitAnswer(stage, shift, "worker_ben", "rejected");
  });
  await narrator.step("Cleo closes the view without response, and no webhook is triggered", async () => {
    assert.equal(await cleo.act("open", shift), 204);
    assert.equal(await cleo.act("close", shift), 204);
    await sleep(300);
    assert.deepEqual((await readRoster(integrator)).offers[shift], { worker_amal: "accepted", worker_ben: "rejected" });
  });
  await narrator.step("the hirer reads the offer with the current response of each", async () => {
    const { complete, widthdrawn, isHistoric, recipients } = await readShift(stage, shift);
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
  await narrator.step("Ben changes his mind and applies", async () => {
    assert.equal(await ben.act("apply", shift), 204);
    await awaitAnswer(stage, shift, "worker_ben", "accepted");
  });
  await narrator.step("completing with Cleo, who has not applied, is refused", async () => {
    const { status } = await hirer.call("POST", `/shifts/${shift}/staff`, { body: { workers: ["worker_cleo"] } });
    assert.equal(status, 400);
  });
  await narrator.step("the hirer completes the offer: Amal gets the work", async () => {
    const { status } = await hirer.call("POST", `/shifts/${shift}/staff`, { body: { workers: ["worker_amal"] } });
    assert.equal(status, 204);
  });
  await narrator.step("all workers are told whether they were successful", async () => {
    await amal.awaitPush("successful", shift);
    await ben.awaitPush("unsuccessful", shift);
    await cleo.awaitPush("unsuccessful", shift);
  });
  await narrator.step("the offer reads as complete, with Amal confirmed", async () => {
    const { complete, applicants, recipients } = await readShift(stage, shift);
    assert.equal(complete, true);
    assert.deepEqual(applicants, ["worker_amal", "worker_ben"]);
    assert.deepEqual(
      recipients.map(({ confirmation }) => confirmation !== ""),
      [true, false, false],
    );
  });
  await narrator.step("completing it again is a conflict, and so is a late answer", async () => {
    const { status } = await hirer.call("POST", `/shifts/${shift}/staff`, { body: { workers: ["worker_ben"] } });
    assert.equal(status, statuses.conflict);
    assert.equal(await cleo.act("apply", shift), 409);
  });
}
