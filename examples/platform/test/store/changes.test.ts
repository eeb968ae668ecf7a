import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openChangeFeed } from "../../src/changes/change-feed.ts";
import { changesSince, markNow, type Seen } from "../../src/changes/changes-since.ts";
import { purgeChanges } from "../../src/changes/purge-changes.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Store } from "../../src/store/store.ts";
import { eventually } from "../support/eventually.ts";
import { type StorePlace, storesUnderTest } from "../support/stores.ts";

describe.each(await storesUnderTest())("changes on $title", ({ createPlace }) => {
  let place: StorePlace;
  let store: Store;
  beforeAll(async () => {
    place = await createPlace();
    store = await openStore(place.options);
    for (const id of ["org_a", "org_b"])
      await store.db.insertInto("organisations").values({ id, name: id, kind: "hirer" }).execute();
    await store.db.insertInto("workers").values({ id: "w", name: "W", password_hash: "" }).execute();
  });
  afterAll(async () => {
    await store.close();
    await place.remove();
  });
  beforeEach(() => store.db.deleteFrom("changes").execute());

  const offerOf = (organisationId: string, id: string) => ({
    ...{ id, organisation_id: organisationId, created_by_user_id: "", title: id, details: "", location_place_id: "" },
    ...{ notify_email_address: null, events: "[]", ends_at: null },
  });
  let count = 0;
  async function createOffer(organisationId: string): Promise<string> {
    count += 1;
    const id = `offer_${count}`;
    await store.db.insertInto("offers").values(offerOf(organisationId, id)).execute();
    return id;
  }

  test("are those since the mark, of the organisation, each once", async () => {
    await createOffer("org_a");
    const mark = await markNow(store);
    const id = await createOffer("org_a");
    await createOffer("org_b");
    await store.db.updateTable("offers").set({ completed_at: new Date() }).where("id", "=", id).execute();
    const { changes, mark: next } = await changesSince(store, ["org_a"], mark);
    expect(changes).toEqual([{ organisationId: "org_a", subject: "offer", subjectId: id }]);
    expect((await changesSince(store, ["org_a"], next)).changes).toEqual([]);
  });

  test("are one however many rows a statement changes", async () => {
    const id = await createOffer("org_a");
    const workers = Array.from({ length: 50 }, (_, index) => ({ id: `${id}_w${index}`, name: "W", password_hash: "" }));
    await store.db.insertInto("workers").values(workers).execute();
    const recipients = workers.map((worker) => ({ offer_id: id, worker_id: worker.id }));
    await store.db.insertInto("recipients").values(recipients).execute();
    await store.db.deleteFrom("changes").execute();
    await store.db.updateTable("recipients").set({ response: "applied" }).where("offer_id", "=", id).execute();
    expect(await store.db.selectFrom("changes").select("subject_id").execute()).toEqual([{ subject_id: id }]);
  });

  test("of what was rolled back are none", async () => {
    const mark = await markNow(store);
    const undone = store.transaction(async (trx) => {
      await trx.insertInto("offers").values(offerOf("org_a", "offer_undone")).execute();
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    expect((await changesSince(store, ["org_a"], mark)).changes).toEqual([]);
  });

  test("after a mark older than what is kept may be missing", async () => {
    const secondsAgo = async (seconds: number) =>
      (await markNow(store)).replace(/@(\d+)$/, (_, taken) => `@${Number(taken) - seconds}`);
    expect((await changesSince(store, ["org_a"], await secondsAgo(49 * 60))).isComplete).toBe(true);
    expect((await changesSince(store, ["org_a"], await secondsAgo(51 * 60))).isComplete).toBe(false);
  });

  test("are kept for an hour", async () => {
    await createOffer("org_a");
    await purgeChanges(store, new Date(Date.now() + 59 * 60_000));
    expect(await store.db.selectFrom("changes").select("id").execute()).toHaveLength(1);
    await purgeChanges(store, new Date(Date.now() + 61 * 60_000));
    expect(await store.db.selectFrom("changes").select("id").execute()).toHaveLength(0);
  });

  test("reach each subscriber from its own mark on, until it leaves", async () => {
    const feed = openChangeFeed(store, { onError: (error) => expect.fail(String(error)), idleMs: 20 });
    const told: Record<string, string[]> = { early: [], late: [], other: [] };
    const note =
      (who: string) =>
      ({ changes }: Seen) =>
        void told[who]?.push(...changes.map(({ subjectId }) => subjectId));
    const before = await markNow(store);
    const first = await createOffer("org_a");
    const between = await markNow(store);
    const leave = feed.subscribe("org_a", before, note("early"));
    feed.subscribe("org_a", between, note("late"));
    feed.subscribe("org_b", before, note("other"));
    const second = await createOffer("org_a");
    await eventually("both were told", () => told.early?.length === 2 && told.late?.length === 1);
    leave();
    const third = await createOffer("org_a");
    await eventually("who stayed was told", () => told.late?.length === 2);
    expect(told).toEqual({ early: [first, second], late: [second, third], other: [] });
    await feed.stop();
  });
});
