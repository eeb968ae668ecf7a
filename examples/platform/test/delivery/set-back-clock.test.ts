import { defaultBreakerPolicy } from "@offers/contract/circuit-breaker";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { recordEvent } from "../../src/dispatch/webhooks/record-event.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { openReceiver, type Receiver, respondWith } from "../support/receiver.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { useDeliveryFixture } from "../support/use-opened.ts";

const hours = 3_600_000;

// PGlite's clock is that of this process; the clock of a PostgreSQL server cannot be set here.
describe.each((await storesUnderTest()).slice(0, 1))("when the clock of $title is set back,", ({ createDatabase }) => {
  const fixture = useDeliveryFixture(createDatabase);
  const realNow = Date.now;
  let aheadMs = 0;
  let receiver: Receiver;
  let organisationId: string;

  beforeEach(async () => {
    aheadMs = 0;
    vi.spyOn(Date, "now").mockImplementation(() => realNow() + aheadMs);
    receiver = await openReceiver();
    organisationId = await addOrganisation(fixture.store, receiver.baseAddress);
  });
  afterEach(async () => {
    await fixture.reset();
    vi.restoreAllMocks();
    await receiver.close();
  });

  const now = () => new Date(Date.now());
  const record = () =>
    fixture.store.transaction((trx) => {
      const data = { offerId: "offer-1", workerId: "worker-1", response: "accepted" } as const;
      return recordEvent(trx, organisationId, { type: "workerOfferResponse", data });
    });
  const delivered = () =>
    eventually("the event is delivered", () => fixture.attempts.some(({ outcome }) => outcome === "acknowledged"));

  test("a retry that was planned by the old clock comes after its delay, not hours later", async () => {
    receiver.respond = respondWith(401);
    fixture.startDelivery({ now });
    // The loop has looked at the clock before.
    await record();
    await eventually("an attempt was refused", () => fixture.attempts.length > 0);
    aheadMs = 3 * hours;
    const before = fixture.attempts.length;
    await eventually("another one was, three hours later", () => fixture.attempts.length > before);
    aheadMs = 0;
    receiver.respond = respondWith(200);
    await delivered();
  });

  test("a circuit breaker that was opened by the old clock closes after its pause, not hours later", async () => {
    aheadMs = 3 * hours;
    receiver.respond = respondWith(503);
    const breaker = { ...defaultBreakerPolicy, failures: 1, firstPauseMs: 500, jitter: 0 };
    fixture.startDelivery({ now, breaker });
    await record();
    const openUntil = async () => {
      const { breaker_open_until: until } = await fixture.store.db
        .selectFrom("endpoints")
        .select("breaker_open_until")
        .where("organisation_id", "=", organisationId)
        .executeTakeFirstOrThrow();
      return until;
    };
    await eventually("the breaker is open", async () => (await openUntil()) !== null);
    aheadMs = 0;
    receiver.respond = respondWith(200);
    await delivered();
    expect(await openUntil()).toBeNull();
  });
});
