import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defaultRetention, purgeExpired } from "../../src/retention/purge-expired.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Store } from "../../src/store/store.ts";
import type { DeliveryState } from "../../src/store/tables.ts";
import { addOrganisation } from "../support/lower-half.ts";
import { type StorePlace, storesUnderTest } from "../support/stores/stores.ts";

const today = new Date("2030-06-01T00:00:00Z");
const fail = (error: unknown): never => {
  throw error;
};
const daysAgo = (days: number): Date => new Date(today.getTime() - days * 86_400_000);

describe.each(await storesUnderTest())("retention on $title", ({ createPlace }) => {
  let place: StorePlace;
  let store: Store;
  let organisation: string;
  beforeAll(async () => {
    place = await createPlace();
    store = await openStore(place.options);
  });
  afterAll(async () => {
    await store.close();
    await place.remove();
  });
  beforeEach(async () => {
    await store.execute("truncate organisations, workers, mails, attempts cascade");
    organisation = await addOrganisation(store);
  });

  /** Until nothing is left to forget. */
  async function retainAll(now = today): Promise<void> {
    while (await purgeExpired(store, now, defaultRetention, fail));
  }

  interface DeliveryToAdd {
    state: DeliveryState;
    days: number;
    orderKey?: string;
    redeliveryOf?: string;
    eventId?: string;
  }

  /** With its event and one attempt that was answered. */
  async function addDelivery({ state, days, orderKey, redeliveryOf, eventId }: DeliveryToAdd): Promise<string> {
    const id = randomUUID();
    const event = eventId ?? (await addEvent(days));
    await store.db
      .insertInto("deliveries")
      .values({
        id,
        event_id: event,
        organisation_id: organisation,
        order_key: orderKey ?? id,
        state,
        due_at: state === "pending" ? daysAgo(days) : null,
        settled_at: state === "acknowledged" || state === "dead" ? daysAgo(days) : null,
        redelivery_of: redeliveryOf ?? null,
      })
      .execute();
    await store.db
      .insertInto("attempts")
      .values({
        ...{ delivery_id: id, method: "POST", path: "/worker-offer-responses", started_at: daysAgo(days) },
        ...{ duration_ms: 5, status: 500, error: "not_acknowledged", content_type: "text/plain", response: "no" },
      })
      .execute();
    return id;
  }
  async function addEvent(days: number): Promise<string> {
    const id = randomUUID();
    const event = { id, organisation_id: organisation, type: "workerAddedContact" as const, data: "{}" };
    await store.db
      .insertInto("events")
      .values({ ...event, created_at: daysAgo(days) })
      .execute();
    return id;
  }
  const idsOf = async (table: "deliveries" | "events" | "notifications" | "mails"): Promise<unknown[]> => {
    const { rows } = await store.execute(`select id from ${table}`);
    return rows.map(({ id }) => id);
  };
  const countOf = async (table: string): Promise<unknown> =>
    (await store.execute(`select count(*)::integer as count from ${table}`)).rows[0]?.count;

  test("what an endpoint answered is emptied after 30 days, the attempt stays for 90", async () => {
    await addDelivery({ state: "acknowledged", days: 29 });
    await addDelivery({ state: "acknowledged", days: 31 });
    await retainAll();
    const attempts = store.db
      .selectFrom("attempts")
      .select(["status", "content_type", "response"])
      .orderBy("started_at");
    expect(await attempts.execute()).toEqual([
      { status: 500, content_type: null, response: null },
      { status: 500, content_type: "text/plain", response: "no" },
    ]);
  });

  test("an acknowledged delivery is forgotten after 90 days, with its event and attempts", async () => {
    const kept = await addDelivery({ state: "acknowledged", days: 89 });
    await addDelivery({ state: "acknowledged", days: 91 });
    await retainAll();
    expect(await idsOf("deliveries")).toEqual([kept]);
    expect(await countOf("events")).toBe(1);
    expect(await countOf("attempts")).toBe(1);
  });

  test("an event that nobody was told of is forgotten after 90 days", async () => {
    const kept = await addEvent(89);
    await addEvent(91);
    await retainAll();
    expect(await idsOf("events")).toEqual([kept]);
  });

  test("a delivery that is pending, held or dead is never forgotten, nor is its event; its old attempts are", async () => {
    const ids = [
      await addDelivery({ state: "pending", days: 3_000 }),
      await addDelivery({ state: "dead", days: 3_000 }),
    ];
    organisation = await addOrganisation(store, "https://hooks.example");
    await store.db
      .updateTable("endpoints")
      .set({ disabled_at: daysAgo(2_999), disabled_because: "gone" })
      .execute();
    ids.push(await addDelivery({ state: "pending", days: 3_000 }));
    await retainAll();
    expect((await idsOf("deliveries")).sort()).toEqual(ids.sort());
    expect(await countOf("events")).toBe(3);
    expect(await countOf("attempts")).toBe(0);
  });

  test("a dead delivery that a later word has overtaken is forgotten, and before that word", async () => {
    const dead = await addDelivery({ state: "dead", days: 100, orderKey: "one" });
    const later = await addDelivery({ state: "acknowledged", days: 95, orderKey: "one" });
    // Its later word goes in the next batch: while the dead one is there, it must stay.
    await purgeExpired(store, today, defaultRetention, fail);
    expect(await idsOf("deliveries")).toEqual([later]);
    await retainAll();
    expect(await idsOf("deliveries")).toEqual([]);

    const recent = await addDelivery({ state: "dead", days: 80, orderKey: "two" });
    const overtaking = await addDelivery({ state: "acknowledged", days: 95, orderKey: "two" });
    await retainAll();
    expect((await idsOf("deliveries")).sort()).toEqual([recent, overtaking].sort());
    expect(dead).not.toBe(recent);
  });

  test("a delivery that was repeated is forgotten after the one that repeats it", async () => {
    const eventId = await addEvent(100);
    const first = await addDelivery({ state: "acknowledged", days: 100, eventId });
    const repeat = await addDelivery({ state: "acknowledged", days: 10, eventId, redeliveryOf: first });
    await retainAll();
    expect((await idsOf("deliveries")).sort()).toEqual([first, repeat].sort());
    const later = new Date(today.getTime() + 85 * 86_400_000);
    await retainAll(later);
    expect(await idsOf("deliveries")).toEqual([first]);
    await retainAll(later);
    expect(await countOf("deliveries")).toBe(0);
    expect(await countOf("events")).toBe(0);
  });

  test("thousands are forgotten batch by batch", async () => {
    await store.execute(
      `with added as (
         insert into events (id, organisation_id, type, data, created_at)
         select 'event-' || n, $1, 'workerAddedContact', '{}', $2 from generate_series(1, 1200) n returning id
       )
       insert into deliveries (id, event_id, organisation_id, order_key, state, settled_at)
       select id, id, $1, id, 'acknowledged', $2 from added`,
      [organisation, daysAgo(91)],
    );
    expect(await purgeExpired(store, today, defaultRetention, fail)).toBe(true);
    expect(await countOf("deliveries")).toBe(700);
    await retainAll();
    expect(await countOf("deliveries")).toBe(0);
    expect(await countOf("events")).toBe(0);
  });

  test("two processes forget the same things side by side", async () => {
    for (let index = 0; index < 20; index += 1) await addDelivery({ state: "acknowledged", days: 91 });
    await Promise.all([retainAll(), retainAll(), retainAll()]);
    expect(await countOf("deliveries")).toBe(0);
  });

  test("notifications of an offer that is over are forgotten after 90 days, those that may be sent never", async () => {
    const worker = { id: randomUUID(), name: "Ann", password_hash: "" };
    await store.db.insertInto("workers").values(worker).execute();
    const device = { id: randomUUID(), worker_id: worker.id, platform: "ios" as const };
    await store.db.insertInto("devices").values(device).execute();
    const add = async (days: number, offer: string, sent: string): Promise<number> => {
      const offerId = randomUUID();
      await store.execute(
        `insert into offers (id, organisation_id, created_by_user_id, title, details, location_place_id, events,
           ends_at, completed_at, withdrawn_at)
         values ($1, $2, 'user-1', 'Bar', '', '', '[]', ${offer})`,
        [offerId, organisation],
      );
      const { rows } = await store.execute(
        `insert into notifications (worker_id, device_id, offer_id, reason, created_at, sent_at, attempts, due_at)
         values ($1, $2, $3, 'offer', $4, ${sent}) returning id`,
        [worker.id, device.id, offerId, daysAgo(days)],
      );
      return Number(rows[0]?.id);
    };
    const old = `timestamptz '${daysAgo(91).toISOString()}'`;
    const recent = `timestamptz '${daysAgo(80).toISOString()}'`;
    const kept = [
      await add(89, `${old}, null, null`, "now(), 1, null"),
      // It is to come, or ended lately, or nobody knows whether it is over.
      await add(91, `now() + interval '20 years', ${old}, null`, "now(), 1, null"),
      await add(91, `${recent}, null, null`, "now(), 1, null"),
      await add(91, "null, null, null", "now(), 1, null"),
      await add(91, `${old}, null, null`, "null, 1, now()"),
    ];
    await add(91, `${old}, null, null`, "now(), 1, null");
    await add(91, `null, ${old}, null`, "now(), 1, null");
    await add(91, `null, null, ${old}`, "now(), 1, null");
    await add(91, `${old}, null, null`, "null, 10, null");
    await retainAll();
    expect((await idsOf("notifications")).map(Number).sort((a, b) => a - b)).toEqual(kept);
  });

  test("mail is forgotten after 30 days, but not before it was sent or given up", async () => {
    const add = async (days: number, sent: Date | null, attempts: number, due: Date | null): Promise<number> => {
      const mail = { to_address: "amal@example.com", subject: "", body: "", sent_at: sent, attempts, due_at: due };
      const row = store.db.insertInto("mails").values({ ...mail, created_at: daysAgo(days) });
      return (await row.returning("id").executeTakeFirstOrThrow()).id;
    };
    const kept = [await add(29, daysAgo(29), 1, null), await add(31, null, 3, daysAgo(0))];
    await add(31, daysAgo(31), 1, null);
    await add(31, null, 8, null);
    await retainAll();
    expect(await idsOf("mails")).toEqual(kept);
  });

  test("sessions, idempotency keys and rotated secrets are forgotten when their time is over", async () => {
    const worker = { id: randomUUID(), name: "Ann", password_hash: "" };
    await store.db.insertInto("workers").values(worker).execute();
    for (const days of [-1, 1])
      await store.db
        .insertInto("sessions")
        .values({ token_hash: `hash ${days}`, person_id: null, worker_id: worker.id, expires_at: daysAgo(days) })
        .execute();
    for (const days of [0.9, 1.1]) {
      const key = { organisation_id: organisation, key_hash: `hash ${days}`, fingerprint: "", result: "" };
      await store.db
        .insertInto("idempotency_keys")
        .values({ ...key, created_at: daysAgo(days) })
        .execute();
    }
    const rotated = await addOrganisation(store, "https://rotated.example");
    const rotating = await addOrganisation(store, "https://rotating.example");
    for (const [id, days] of [
      [rotated, 0.1],
      [rotating, -0.1],
    ] as const)
      await store.db
        .updateTable("endpoints")
        .set({ previous_encrypted_secret: "encrypted", previous_secret_until: daysAgo(days) })
        .where("organisation_id", "=", id)
        .execute();
    await retainAll();
    expect(await store.db.selectFrom("sessions").select("token_hash").execute()).toEqual([{ token_hash: "hash -1" }]);
    const keys = store.db.selectFrom("idempotency_keys").select("key_hash");
    expect(await keys.execute()).toEqual([{ key_hash: "hash 0.9" }]);
    const secrets = store.db.selectFrom("endpoints").select("organisation_id");
    expect(await secrets.where("previous_encrypted_secret", "is not", null).execute()).toEqual([
      { organisation_id: rotating },
    ]);
  });

  test("what fails is told, and keeps nothing else from being forgotten", async () => {
    await addDelivery({ state: "acknowledged", days: 91 });
    const mail = {
      to_address: "ann@acme.example",
      subject: "",
      body: "",
      created_at: daysAgo(31),
      sent_at: daysAgo(31),
    };
    await store.db.insertInto("mails").values(mail).execute();
    const worker = { id: randomUUID(), name: "Ann", password_hash: "" };
    await store.db.insertInto("workers").values(worker).execute();
    const session = { token_hash: "hash", person_id: null, worker_id: worker.id, expires_at: daysAgo(1) };
    await store.db.insertInto("sessions").values(session).execute();
    await store.execute(`create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'no %', tg_table_name; end $$`);
    for (const table of ["attempts", "endpoints"])
      await store.execute(`create trigger refused before update or delete on ${table} execute function refuse()`);
    const errors: unknown[] = [];
    try {
      expect(await purgeExpired(store, today, defaultRetention, (error) => errors.push(error))).toBe(false);
    } finally {
      await store.execute("drop function refuse cascade");
    }
    expect(errors.map(String).sort()).toEqual(
      ["attempts", "attempts", "attempts", "endpoints"].map((table) => expect.stringContaining(`no ${table}`)),
    );
    for (const table of ["mails", "sessions"]) expect([table, await countOf(table)]).toEqual([table, 0]);
  });

  test("the periods are settings", async () => {
    await addDelivery({ state: "acknowledged", days: 8 });
    await purgeExpired(store, today, { deliveryDays: 7, contentDays: 1 }, fail);
    expect(await countOf("deliveries")).toBe(0);
  });
});
