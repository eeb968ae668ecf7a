import assert from "node:assert/strict";
import type { Stage } from "../stage.ts";
import { awaitAnswer, postShift, readShift } from "./shift.ts";

/** An offer is withdrawn: everyone who was addressed is told, once. */
export async function offerIsWithdrawn(stage: Stage): Promise<void> {
  const { narrator, amal, ben, cleo, hirer, statuses } = stage;
  const phones = [amal, ben, cleo];
  narrator.chapter("An offer is withdrawn");

  const shift = await narrator.step("a second offer goes out, and Amal applies", async () => {
    const id = await postShift(stage, "Breakfast on Sunday");
    await amal.awaitPush("offer", id);
    assert.equal(await amal.act("apply", id), 204);
    await awaitAnswer(stage, id, "worker_amal", "accepted");
    return id;
  });
  await narrator.step("the hirer withdraws it", async () => {
    const { status } = await hirer.call("POST", `/shifts/${shift}/cancel`);
    assert.equal(status, 204);
  });
  await narrator.step("all workers addressed at creation are told", async () => {
    await Promise.all(phones.map((phone) => phone.awaitPush("withdrawn", shift)));
  });
  await narrator.step(
    "the offer reads as withdrawn, under the name that the contract spells `widthdrawn`",
    async () => {
      const { widthdrawn, complete } = await readShift(stage, shift);
      assert.deepEqual({ widthdrawn, complete }, { widthdrawn: true, complete: false });
    },
  );
  await narrator.step("withdrawing again changes nothing", async () => {
    const { status } = await hirer.call("POST", `/shifts/${shift}/cancel`);
    assert.equal(status, 204);
    const { widthdrawn, complete } = await readShift(stage, shift);
    assert.deepEqual({ widthdrawn, complete }, { widthdrawn: true, complete: false });
    for (const phone of phones) assert.equal(phone.timesTold("withdrawn", shift), 1);
  });
  await narrator.step("it can't be completed any more, nor answered", async () => {
    const { status } = await hirer.call("POST", `/shifts/${shift}/staff`, { body: { workers: ["worker_amal"] } });
    assert.equal(status, statuses.conflict);
    assert.equal(await ben.act("apply", shift), 409);
  });
}
