import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { writeMails } from "../../src/mail/write-mails.ts";
import type { Leases } from "../../src/outbox/leases.ts";
import { openLeases } from "../../src/outbox/open-leases.ts";
import { startDispatcher } from "../../src/outbox/start-dispatcher.ts";
import { eventually } from "../support/eventually.ts";
import { type LowerHalf, openLowerHalf } from "../support/lower-half.ts";
import { type StorePlace, storesUnderTest } from "../support/stores/stores.ts";

/** A promise with what resolves it. */
function moment(): [Promise<void>, () => void] {
  let come = (): void => undefined;
  const comes = new Promise<void>((resolve) => {
    come = resolve;
  });
  return [comes, () => come()];
}

describe.each(await storesUnderTest())("a claim on $title", ({ createPlace }) => {
  let place: StorePlace;
  let half: LowerHalf;

  beforeEach(async () => {
    place = await createPlace();
    half = await openLowerHalf(place);
  });
  afterEach(async () => {
    expect(half.errors).toEqual([]);
    await half.close();
    await place.remove();
  });

  test("that a process comes back to when its lease has ended is not attempted: others have, and gone on", async () => {
    const { store } = half;
    const onError = (error: unknown): void => void half.errors.push(error);
    const attempted: string[] = [];
    const open = () => openLeases(store, { leaseSeconds: 0.5, onError });
    const [firstLeases, secondLeases] = [await open(), await open()];
    const processOf = (name: string, leases: Leases, loaded: () => Promise<void>) =>
      startDispatcher<number, "sent">({
        ...{ store, leases, onError },
        ...{ queue: { name: "mails", table: "mails", id: "id", capacity: 8 }, maxUnderWay: 8 },
        async load(ids) {
          await loaded();
          return new Map(ids.map((id) => [id, id]));
        },
        async attempt(id) {
          attempted.push(`${name} ${id}`);
          return "sent";
        },
        async settle(trx, made) {
          const ids = made.map(({ row }) => row);
          await trx.updateTable("mails").set({ due_at: null, sent_at: new Date() }).where("id", "in", ids).execute();
          return () => undefined;
        },
      });
    const [claimed, onClaimed] = moment();
    const [goesOn, goOn] = moment();
    await store.transaction((trx) => writeMails(trx, [{ to_address: "a@b.example", subject: "s", body: "b" }]));
    const first = half.adopt(
      processOf("first", firstLeases, () => {
        onClaimed();
        return goesOn;
      }),
    );
    await claimed;
    const second = half.adopt(processOf("second", secondLeases, async () => undefined));
    await eventually("the second takes over", () => attempted.length > 0);
    goOn();
    await Promise.all([first.stop(), second.stop()]);
    expect(attempted).toEqual([expect.stringMatching(/^second \d+$/)]);
    expect(await store.db.selectFrom("outbox_leases").select("lane").execute()).toEqual([]);
  });
});
