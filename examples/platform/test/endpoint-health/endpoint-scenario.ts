import { defaultRetrySchedule } from "@offers/contract/retry-schedule";
import { expect } from "vitest";
import { fc } from "../../../../scripts/property-seed.ts";
import { enableEndpoint } from "../../src/webhooks/disabled-endpoint.ts";
import { recordEvent } from "../../src/webhooks/record-event.ts";
import { redeliverAllInRange, restartSchedules } from "../../src/webhooks/redeliver.ts";
import { addOrganisation, type DeliveryFixture } from "../support/delivery-fixture.ts";
import { hang, hangUp, type Receiver, type Respond, respondWith } from "../support/receiver.ts";
import { createVirtualTime } from "../support/virtual-time.ts";

const minuteMs = 60_000;

const behaviours = {
  acknowledges: respondWith(200),
  fails: respondWith(500),
  "asks for an hour": respondWith(503, { "retry-after": "3600" }),
  refuses: respondWith(404),
  "is gone": respondWith(410),
  hangs: hang,
  "hangs up": hangUp,
} satisfies Record<string, Respond>;

type Step =
  | { type: "record"; worker: number; count: number }
  | { type: "respond"; behaviour: keyof typeof behaviours }
  | { type: "save" }
  | { type: "redeliver"; states: ("dead" | "acknowledged")[] }
  | { type: "wait"; minutes: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant("record"), worker: fc.nat(3), count: fc.integer({ min: 1, max: 5 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("respond"),
      behaviour: fc.constantFrom(...(Object.keys(behaviours) as (keyof typeof behaviours)[])),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ type: "save" }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("redeliver"),
      states: fc.constantFrom<("dead" | "acknowledged")[][]>(["dead"], ["dead", "acknowledged"]),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ type: fc.constant("wait"), minutes: fc.constantFrom(0.2, 1, 5, 15, 120, 1_500, 7_500) }),
  },
) as fc.Arbitrary<Step>;

/** Generates arbitrary sequences of events, endpoint behaviours, saved profiles, redeliveries and waits. */
export const steps = fc.array(step, { maxLength: 25, size: "max" });

/**
 * A scenario in which the endpoint is paused after failures, rejects deliveries, responds with 410, and fails for more than five days.
 */
export const fullScenario: Step[] = [
  { type: "record", worker: 0, count: 5 },
  ...[1, 2, 3].map((worker): Step => ({ type: "record", worker, count: 4 })),
  { type: "respond", behaviour: "fails" },
  ...[1, 5, 1, 15, 1, 120].map((minutes): Step => ({ type: "wait", minutes })),
  { type: "respond", behaviour: "refuses" },
  { type: "wait", minutes: 15 },
  { type: "respond", behaviour: "asks for an hour" },
  ...[120, 5, 120, 1_500].map((minutes): Step => ({ type: "wait", minutes })),
  { type: "respond", behaviour: "acknowledges" },
  { type: "wait", minutes: 1_500 },
  { type: "redeliver", states: ["dead", "acknowledged"] },
  { type: "respond", behaviour: "is gone" },
  { type: "record", worker: 0, count: 3 },
  { type: "wait", minutes: 120 },
  { type: "record", worker: 1, count: 3 },
  { type: "respond", behaviour: "hangs" },
  { type: "save" },
  ...[1_500, 1_500, 7_500].map((minutes): Step => ({ type: "wait", minutes })),
  { type: "record", worker: 0, count: 1 },
  { type: "wait", minutes: 1_500 },
];

/** Runs the steps, lets the endpoint recover, and checks the invariants. */
export async function runScenario(
  fixture: DeliveryFixture,
  receiver: Receiver,
  scenario: readonly Step[],
): Promise<void> {
  const { store } = fixture;
  const time = createVirtualTime(fixture);
  const organisationId = await addOrganisation(store, receiver.baseAddress);
  fixture.attempts.length = 0;
  const eventIds: string[] = [];
  const acknowledgedIds: string[] = [];
  let requestCount = 0;
  let behaviour: keyof typeof behaviours = "acknowledges";
  receiver.respond = (request, response) => {
    requestCount += 1;
    if (behaviour === "acknowledges") acknowledgedIds.push(String(request.headers["offers-delivery-id"]));
    behaviours[behaviour](request, response);
  };
  const readEndpoint = () =>
    store.db
      .selectFrom("endpoints")
      .selectAll()
      .where("organisation_id", "=", organisationId)
      .executeTakeFirstOrThrow();
  const redeliver = (states: ("dead" | "acknowledged")[]) =>
    redeliverAllInRange(store, organisationId, { since: new Date(0), states });

  const wait = async (ms: number): Promise<void> => {
    await time.waitUntilIdle();
    const before = await readEndpoint();
    const countBefore = requestCount;
    await time.advance(ms);
    await time.waitUntilIdle();
    const after = await readEndpoint();
    const wasPaused = before.breaker_open_until !== null && before.disabled_at === null;
    // If the endpoint was paused before and after, at most one attempt was made, at the end of a pause.
    if (wasPaused && after.breaker_open_until !== null) expect(requestCount - countBefore).toBeLessThanOrEqual(1);
    if (before.disabled_at !== null) expect(requestCount).toBe(countBefore);
  };
  const runStep: { [Type in Step["type"]]: (step: Extract<Step, { type: Type }>) => Promise<unknown> | unknown } = {
    async record({ worker, count }) {
      const data = { offerId: "offer-1", workerId: `worker-${worker}`, response: "accepted" } as const;
      for (let number = 0; number < count; number += 1) {
        const event = { type: "workerOfferResponse", data } as const;
        const { eventId } = await store.transaction((trx) => recordEvent(trx, organisationId, event));
        eventIds.push(eventId);
      }
    },
    respond(step) {
      behaviour = step.behaviour;
    },
    async save() {
      await store.transaction((trx) => enableEndpoint(trx, organisationId, (path) => path));
      await restartSchedules(store, organisationId);
    },
    redeliver: ({ states }) => redeliver(states),
    wait: ({ minutes }) => wait(minutes * minuteMs),
  };

  const delivery = fixture.startDelivery({
    now: time.now,
    retrySchedule: defaultRetrySchedule,
    attemptTimeoutMs: 100,
  });
  try {
    // TypeScript cannot tell that the function for a step's type accepts this step.
    for (const step of scenario) await runStep[step.type](step as never);
    behaviour = "acknowledges";
    await runStep.save({ type: "save" });
    await time.waitUntilIdle();
    const isSettled = async () => {
      const pending = store.db.selectFrom("deliveries").select("id").where("state", "=", "pending");
      return (await pending.execute()).length === 0;
    };
    await time.advanceUntil(isSettled);
    await redeliver(["dead"]);
    await time.advanceUntil(isSettled);
  } finally {
    await delivery.stop();
  }
  const deliveries = await store.db
    .selectFrom("deliveries")
    .innerJoin("events", "events.id", "event_id")
    .select(["deliveries.id", "event_id", "order_key", "state"])
    .where("deliveries.organisation_id", "=", organisationId)
    .orderBy("sequence")
    .execute();
  // Nothing is lost: each event was acknowledged, or superseded by the worker's later response, which was acknowledged.
  const lastByOrderKey = new Map(deliveries.map((delivery) => [delivery.order_key, delivery]));
  for (const eventId of eventIds) {
    const eventDeliveries = deliveries.filter((delivery) => delivery.event_id === eventId);
    const isAcknowledged = eventDeliveries.some(({ state }) => state === "acknowledged");
    const last = lastByOrderKey.get(eventDeliveries[0]?.order_key ?? "");
    expect(isAcknowledged || (last?.state === "acknowledged" && last.event_id !== eventId)).toBe(true);
  }
  // Each worker's responses were acknowledged in order. The latest may have been acknowledged more than once.
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  const lastIndexByKey = new Map<string, number>();
  for (const id of acknowledgedIds) {
    const { order_key: key = "", event_id: eventId = "" } = byId.get(id) ?? {};
    expect(eventIds.indexOf(eventId)).toBeGreaterThanOrEqual(lastIndexByKey.get(key) ?? 0);
    lastIndexByKey.set(key, eventIds.indexOf(eventId));
  }
  await expectOnSchedule(fixture);
  expect(fixture.errors).toEqual([]);
}

/** Asserts that all reported attempts are stored, and that no retry started before its planned time. */
export async function expectOnSchedule({ store, attempts }: DeliveryFixture): Promise<void> {
  const storedAttempts = await store.db
    .selectFrom("attempts")
    .select(["delivery_id", "started_at"])
    .orderBy("id")
    .execute();
  for (const id of new Set(attempts.map(({ deliveryId }) => deliveryId))) {
    const reported = attempts.filter(({ deliveryId }) => deliveryId === id);
    const stored = storedAttempts.filter((attempt) => attempt.delivery_id === id);
    expect(stored).toHaveLength(reported.length);
    let plannedAt: Date | undefined;
    for (const [index, { number, nextAttemptAt }] of reported.entries()) {
      // The first attempt of a schedule is due immediately.
      const dueAt = number === 1 ? undefined : plannedAt;
      if (dueAt !== undefined) expect(stored[index]?.started_at.getTime()).toBeGreaterThanOrEqual(dueAt.getTime());
      plannedAt = nextAttemptAt;
    }
  }
}
