import assert from "node:assert/strict";
import type { Context } from "../context.ts";
import { eventually } from "../eventually.ts";
import { awaitResponse, postShift, readRoster } from "./shift.ts";

interface Delivery {
  state: string;
  data: Record<string, string>;
  attempts: { number: number; status: number | null; error: string | null }[];
}

/** Shows that no event is lost when receivers fail and processes are killed. */
export async function showFailures(context: Context): Promise<void> {
  const { reporter, amal, ben, cleo, hana, integrator, webhooks } = context;
  reporter.scenario("Failures");

  const offerId = await reporter.step("a third offer goes out", async () => {
    const id = await postShift(context, "Bar on Saturday");
    await Promise.all([amal, ben, cleo].map((phone) => phone.awaitNotification("offer", id)));
    return id;
  });
  await reporter.step("Amal applies while the integrator responds with 500", async () => {
    webhooks.failWith("status 500");
    assert.equal(await amal.performAction("apply", offerId), 204);
    await awaitDeliveryAttempt(context, offerId, "worker_amal");
    assert.equal((await readRoster(integrator)).offers[offerId], undefined);
  });
  await reporter.step("the portal shows the failed attempt", async () => {
    const delivery = await findDelivery(hana, offerId, "worker_amal");
    assert.equal(delivery?.state, "pending");
    assert.equal(delivery?.attempts[0]?.status, 500);
  });
  await reporter.step("the integrator recovers, and the event arrives", async () => {
    webhooks.failWith(undefined);
    await awaitResponse(context, offerId, "worker_amal", "accepted");
  });
  await reporter.step("Ben rejects while the integrator hangs; the platform is killed with SIGKILL", async () => {
    webhooks.failWith("no response");
    assert.equal(await ben.performAction("reject", offerId), 204);
    await eventually("a hanging webhook", () => webhooks.hangingCount > 0);
    await context.killPlatform();
    await eventually("the hanging webhook to end", () => webhooks.hangingCount === 0);
    webhooks.failWith(undefined);
    assert.equal((await readRoster(integrator)).offers[offerId]?.worker_ben, undefined);
  });
  await reporter.step("the platform starts again, and the event arrives", async () => {
    await context.startPlatform();
    await awaitResponse(context, offerId, "worker_ben", "rejected");
  });
  await reporter.step("the portal shows that both events were acknowledged", async () => {
    await eventually("acknowledged deliveries", async () => {
      const deliveries = await Promise.all(
        ["worker_amal", "worker_ben"].map((workerId) => findDelivery(hana, offerId, workerId, true)),
      );
      return deliveries.every((delivery) => delivery?.state === "acknowledged");
    });
  });
}

/** Waits until the platform has attempted to deliver the event about this worker. */
async function awaitDeliveryAttempt({ hana }: Context, offerId: string, workerId: string): Promise<void> {
  await eventually(`an attempt to deliver the event about ${workerId}`, async () => {
    const delivery = await findDelivery(hana, offerId, workerId, true);
    return delivery !== undefined && delivery.attempts.length > 0;
  });
}

async function findDelivery(person: Context["hana"], offerId: string, workerId: string, quiet = false) {
  const { body } = await person.call<{ deliveries: Delivery[] }>("GET", "/portal/deliveries", { quiet });
  return body.deliveries.find(({ data }) => data.offerId === offerId && data.workerId === workerId);
}
