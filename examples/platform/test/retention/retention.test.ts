import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { purgeExpired } from "../../src/retention.ts";
import { defaultRetention } from "../../src/settings/settings.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { anyStore } from "../support/stores/stores.ts";
import { daysAgo, today, useRetention } from "./use-retention.ts";

describe.each(await anyStore())("retention on $title", ({ createDatabase }) => {
  const retention = useRetention(createDatabase);
  const { purgeAll, addDelivery, readIds, countRows } = retention;

  test("a finished offer's notifications are deleted after 90 days, unless they may still be sent", async () => {
    const worker = { id: randomUUID(), name: "Ann", password_hash: "" };
    await retention.store.db.insertInto("workers").values(worker).execute();
    const device = { id: randomUUID(), worker_id: worker.id, platform: "ios" as const };
    await retention.store.db.insertInto("devices").values(device).execute();
    /** Adds an offer and a notification about it. `offerTimes` and `sendState` are SQL values of their columns. */
    const addNotification = async (ageDays: number, offerTimes: string, sendState: string): Promise<number> => {
      const offerId = randomUUID();
      await retention.store.execute(
        `insert into offers (id, organisation_id, created_by_user_id, title, details, location_place_id, events,
           ends_at, completed_at, withdrawn_at)
         values ($1, $2, 'user-1', 'Bar', '', '', '[]', ${offerTimes})`,
        [offerId, retention.organisationId],
      );
      const { rows } = await retention.store.execute(
        `insert into notifications (worker_id, device_id, offer_id, reason, created_at, sent_at, attempts, due_at)
         values ($1, $2, $3, 'offer', $4, ${sendState}) returning id`,
        [worker.id, device.id, offerId, daysAgo(ageDays)],
      );
      return Number(rows[0]?.id);
    };
    const longAgo = `timestamptz '${daysAgo(91).toISOString()}'`;
    const recent = `timestamptz '${daysAgo(80).toISOString()}'`;
    const keptIds = [
      await addNotification(89, `${longAgo}, null, null`, "now(), 1, null"),
      // The offer is in the future, ended recently or has no known end, or the notification may still be sent.
      await addNotification(91, `now() + interval '20 years', ${longAgo}, null`, "now(), 1, null"),
      await addNotification(91, `${recent}, null, null`, "now(), 1, null"),
      await addNotification(91, "null, null, null", "now(), 1, null"),
      await addNotification(91, `${longAgo}, null, null`, "null, 1, now()"),
    ];
    await addNotification(91, `${longAgo}, null, null`, "now(), 1, null");
    await addNotification(91, `null, ${longAgo}, null`, "now(), 1, null");
    await addNotification(91, `null, null, ${longAgo}`, "now(), 1, null");
    await addNotification(91, `${longAgo}, null, null`, "null, 10, null");
    await purgeAll();
    expect((await readIds("notifications")).map(Number).sort((a, b) => a - b)).toEqual(keptIds);
  });

  test("a mail is deleted after 30 days, but not before it is sent or has failed [D-77]", async () => {
    const addMail = async (
      ageDays: number,
      sentAt: Date | null,
      attempts: number,
      dueAt: Date | null,
    ): Promise<number> => {
      const mail = { to_address: "amal@example.com", subject: "", body: "", sent_at: sentAt, attempts, due_at: dueAt };
      const row = retention.store.db.insertInto("mails").values({ ...mail, created_at: daysAgo(ageDays) });
      return (await row.returning("id").executeTakeFirstOrThrow()).id;
    };
    const keptIds = [await addMail(29, daysAgo(29), 1, null), await addMail(31, null, 3, daysAgo(0))];
    await addMail(31, daysAgo(31), 1, null);
    await addMail(31, null, 8, null);
    await purgeAll();
    expect(await readIds("mails")).toEqual(keptIds);
  });

  test("sessions, rate limits, idempotency keys and rotated secrets are deleted when they expire", async () => {
    const worker = { id: randomUUID(), name: "Ann", password_hash: "" };
    await retention.store.db.insertInto("workers").values(worker).execute();
    for (const days of [-1, 1])
      await retention.store.db
        .insertInto("sessions")
        .values({ token_hash: `hash ${days}`, person_id: null, worker_id: worker.id, expires_at: daysAgo(days) })
        .execute();
    for (const days of [-1, 1])
      await retention.store.db
        .insertInto("rate_limits")
        .values({ key: `key ${days}`, points: 1, expire: daysAgo(days).getTime() })
        .execute();
    for (const days of [0.9, 1.1]) {
      const key = { organisation_id: retention.organisationId, key_hash: `hash ${days}`, fingerprint: "", result: "" };
      await retention.store.db
        .insertInto("idempotency_keys")
        .values({ ...key, created_at: daysAgo(days) })
        .execute();
    }
    const rotatedId = await addOrganisation(retention.store, "https://rotated.example");
    const rotatingId = await addOrganisation(retention.store, "https://rotating.example");
    for (const [id, days] of [
      [rotatedId, 0.1],
      [rotatingId, -0.1],
    ] as const)
      await retention.store.db
        .updateTable("endpoints")
        .set({ previous_encrypted_secret: "encrypted", previous_secret_until: daysAgo(days) })
        .where("organisation_id", "=", id)
        .execute();
    await purgeAll();
    expect(await retention.store.db.selectFrom("sessions").select("token_hash").execute()).toEqual([
      { token_hash: "hash -1" },
    ]);
    expect(await retention.store.db.selectFrom("rate_limits").select("key").execute()).toEqual([{ key: "key -1" }]);
    const keys = retention.store.db.selectFrom("idempotency_keys").select("key_hash");
    expect(await keys.execute()).toEqual([{ key_hash: "hash 0.9" }]);
    const secrets = retention.store.db.selectFrom("endpoints").select("organisation_id");
    expect(await secrets.where("previous_encrypted_secret", "is not", null).execute()).toEqual([
      { organisation_id: rotatingId },
    ]);
  });

  test("a failed deletion is reported, and everything else is still deleted", async () => {
    await addDelivery({ state: "acknowledged", ageDays: 91 });
    const mail = {
      to_address: "ann@acme.example",
      subject: "",
      body: "",
      created_at: daysAgo(31),
      sent_at: daysAgo(31),
    };
    await retention.store.db.insertInto("mails").values(mail).execute();
    const worker = { id: randomUUID(), name: "Ann", password_hash: "" };
    await retention.store.db.insertInto("workers").values(worker).execute();
    const session = { token_hash: "hash", person_id: null, worker_id: worker.id, expires_at: daysAgo(1) };
    await retention.store.db.insertInto("sessions").values(session).execute();
    await retention.store.execute(`create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'no %', tg_table_name; end $$`);
    const rowWiseTables = retention.store.name === "pglite" ? [] : ["attempts_otherwise"];
    for (const table of ["attempts", ...rowWiseTables, "endpoints"])
      await retention.store.execute(
        `create trigger refused before update or delete on ${table} execute function refuse()`,
      );
    const errors: unknown[] = [];
    try {
      expect(await purgeExpired(retention.store, today, defaultRetention, (error) => errors.push(error))).toBe(false);
    } finally {
      await retention.store.execute("drop function refuse cascade");
    }
    expect(errors.map(String).sort()).toEqual(
      ["attempts", ...(rowWiseTables.length > 0 ? rowWiseTables : ["attempts"]), "endpoints"].map((table) =>
        expect.stringContaining(`no ${table}`),
      ),
    );
    for (const table of ["mails", "sessions"]) expect([table, await countRows(table)]).toEqual([table, 0]);
  });
});
