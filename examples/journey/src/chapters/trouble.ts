import assert from "node:assert/strict";
import { eventually } from "../eventually.ts";
import type { Stage } from "../stage.ts";
import { awaitAnswer, postShift, readRoster } from "./shift.ts";

interface Delivery {
  state: string;
  data: Record<string, string>;
  attempts: { number: number; status: number | null; error: string | null }[];
}

/** Receivers fail, processes die; no event is lost. */
export async function trouble(stage: Stage): Promise<void> {
  const { narrator, amal, ben, cleo, hana, integrator, webhooks } = stage;
  narrator.chapter("Trouble");

  const shift = await narrator.step("a third offer goes out", async () => {
    const id = await postShift(stage, "Bar on Saturday");
    await Promise.all([amal, ben, cleo].map((phone) => phone.awaitPush("offer", id)));
    return id;
  });
  await narrator.step("Amal applies while the integrator answers 500", async () => {
    webhooks.trouble("answers 500");
    assert.equal(await amal.act("apply", shift), 204);
    await attempted(stage, shift, "worker_amal");
    assert.equal((await readRoster(integrator)).offers[shift], undefined);
  });
  await narrator.step("the portal shows the failed attempt", async () => {
    const delivery = await deliveryOf(hana, shift, "worker_amal");
    assert.equal(delivery?.state, "pending");
    assert.equal(delivery?.attempts[0]?.status, 500);
  });
  await narrator.step("the integrator is well again, and the event arrives", async () => {
    webhooks.trouble(undefined);
    await awaitAnswer(stage, shift, "worker_amal", "accepted");
  });
  await narrator.step("Ben rejects while the integrator hangs; the platform is killed with -9", async () => {
    webhooks.trouble("hangs");
    assert.equal(await ben.act("reject", shift), 204);
    await eventually("a hanging webhook", () => webhooks.hanging > 0 || undefined);
    await stage.killPlatform();
    await eventually("the end of the hanging webhook", () => webhooks.hanging === 0 || undefined);
    webhooks.trouble(undefined);
    assert.equal((await readRoster(integrator)).offers[shift]?.worker_ben, undefined);
  });
  await narrator.step("the platform starts again, and the event arrives", async () => {
    await stage.startPlatform();
    await awaitAnswer(stage, shift, "worker_ben", "rejected");
  });
  await narrator.step("the portal shows both as acknowledged", async () => {
    await eventually("acknowledged deliveries", async () => {
      const states = await Promise.all(["worker_amal", "worker_ben"].map((one) => deliveryOf(hana, shift, one, true)));
      return states.every((delivery) => delivery?.state === "acknowledged") || undefined;
    });
  });
}

async function attempted({ hana }: Stage, shift: string, worker: string): Promise<void> {
  await eventually(`an attempt to tell of ${worker}`, async () => {
    const delivery = await deliveryOf(hana, shift, worker, true);
    return (delivery && delivery.attempts.length > 0) || undefined;
  });
}

async function deliveryOf(person: Stage["hana"], shift: string, worker: string, quiet = false) {
  const { body } = await person.call<{ deliveries: Delivery[] }>("GET", "/portal/deliveries", { quiet });
  return body.deliveries.find(({ data }) => data.offerId === shift && data.workerId === worker);
}
