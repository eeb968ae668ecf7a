import { defaultBreakerPolicy } from "@offers/contract/circuit-breaker";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { setBackDueTimes } from "../../src/outbox/set-back-clock.ts";
import { recordEvent } from "../../src/webhooks/record-event.ts";
import { webhooks } from "../../src/webhooks/start-delivery.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { openReceiver, type Receiver, respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { useDeliveryFixture } from "../support/use-opened.ts";

const hours = 3_600_000;

describe.each(await anyStore())("a clock that was set back on $title", ({ createDatabase }) => {
  const fixture = useDeliveryFixture(createDatabase);
  const realNow = Date.now;
  let aheadMs = 0;
  let receiver: Receiver;
  let organisationId: string;

  beforeEach(async () => {
    fixture.attempts.length = 0;
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

  test("takes the due times, wake-ups and leases that follow the database's clock with it", async () => {
    await record();
    // As they are after three hours were taken from the clock.
    const ahead = sql`3 * interval '1 hour'`;
    await sql`update deliveries set due_at = due_at + ${ahead}`.execute(fixture.store.db);
    await sql`update outbox_wakeups set at = at + ${ahead}`.execute(fixture.store.db);
    const dead = "00000000-0000-4000-8000-000000000000";
    await sql`insert into outbox_processes values (${dead}, now() + ${ahead})`.execute(fixture.store.db);
    fixture.startDelivery({ now });
    const { leaseMs } = fixture.leases;
    await setBackDueTimes(fixture.store, webhooks(now), { byMs: 3 * hours, leaseMs });
    await delivered();
    await eventually("the lease of the other process has ended", async () => {
      const { rows } = await sql`select from outbox_processes where id = ${dead}`.execute(fixture.store.db);
      return rows.length === 0;
    });
  });

  test("takes the pause of a circuit breaker with it, which follows the clock of the process", async () => {
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
