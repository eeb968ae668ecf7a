import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { deleteExpiredKeys, type IdempotencyRecord, runIdempotently } from "../../src/http/idempotent.ts";
import { createOffer } from "../../src/offers/create-offer.ts";
import type { Store, Trx } from "../../src/store/store.ts";
import { linkTo } from "../mail/link-to.ts";
import { callAfterEachStatement } from "../store/after-each-statement.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { anyStore } from "../support/stores/stores.ts";
import { useDeliveryFixture } from "../support/use-opened.ts";

const dayMs = 24 * 60 * 60 * 1_000;
/** Set TEST_CREATIONS for a longer run. */
const creationCount = Number(process.env.TEST_CREATIONS || 50);

describe.each(await anyStore())("an expired idempotency key on $title", ({ createDatabase }) => {
  const fixture = useDeliveryFixture(createDatabase);
  let store: Store;
  let organisationId: string;
  let keyCount = 0;
  beforeAll(async () => {
    store = fixture.store;
    organisationId = await addOrganisation(store);
    await store.db.insertInto("workers").values({ id: "amal", name: "Amal", password_hash: "" }).execute();
  });

  const newKey = (): IdempotencyRecord => ({
    organisationId,
    keyHash: `key ${++keyCount}`,
    fingerprint: "a",
    now: new Date(),
  });
  const reuseLater = (key: IdempotencyRecord, delayMs: number): IdempotencyRecord => ({
    ...key,
    now: new Date(key.now.getTime() + delayMs),
  });
  const runOnce = (trx: Trx, key: IdempotencyRecord, result: string) => runIdempotently(trx, key, async () => result);
  const runInTransaction = (key: IdempotencyRecord, result: string) =>
    store.transaction((trx) => runOnce(trx, key, result));

  test("an expired key can be reused immediately, even for a different request [D-40]", async () => {
    const key = newKey();
    expect(await runInTransaction(key, "first")).toEqual({ result: "first", replayed: false });
    expect(await runInTransaction(reuseLater(key, dayMs - 1), "second")).toEqual({ result: "first", replayed: true });
    const otherRequest = { ...reuseLater(key, dayMs), fingerprint: "b" };
    expect(await runInTransaction(otherRequest, "third")).toEqual({ result: "third", replayed: false });
    // The key is stored for another day, with its new request.
    expect(await runInTransaction(reuseLater(otherRequest, dayMs - 1), "fourth")).toEqual({
      result: "third",
      replayed: true,
    });
    await expect(runInTransaction(reuseLater(key, dayMs + 1), "fifth")).rejects.toMatchObject({
      code: "idempotency_key_reused",
    });
  });

  test("an expired key can be used again when the operation throws", async () => {
    const key = newKey();
    await runInTransaction(key, "first");
    const failing = store.transaction((trx) =>
      runIdempotently(trx, reuseLater(key, dayMs), () => Promise.reject(new Error("refused"))),
    );
    await expect(failing).rejects.toThrow("refused");
    expect(await runInTransaction(reuseLater(key, dayMs + 1), "second")).toEqual({ result: "second", replayed: false });
  });

  /** Purges expired keys between two statements of `trx`, on a separate connection if the store has one. */
  async function purgeExpiredKeys(trx: Trx, now: Date): Promise<void> {
    if (store.name === "pglite") return void (await deleteExpiredKeys(trx, now));
    const purge = store.transaction(async (otherTrx) => {
      await sql`set local lock_timeout = '100ms'`.execute(otherTrx);
      await deleteExpiredKeys(otherTrx, now);
    });
    // 55P03 is lock_not_available, because the purge has to wait for the transaction.
    await purge.catch((error: { code?: string }) => expect(error.code).toBe("55P03"));
  }

  test("an expired key can be deleted between any two statements of the transaction that reuses it [D-40]", async () => {
    const key = newKey();
    await runInTransaction(key, "first");
    const laterKey = reuseLater(key, dayMs);
    const reuse = store.transaction((trx) =>
      runOnce(
        callAfterEachStatement(trx, () => purgeExpiredKeys(trx, laterKey.now)),
        laterKey,
        "second",
      ),
    );
    expect(await reuse).toEqual({ result: "second", replayed: false });
    expect(await runInTransaction(reuseLater(laterKey, 1), "third")).toEqual({ result: "second", replayed: true });
  });

  test("a key is replayed until it expires, even if retention with a fast clock tries to delete it earlier", async () => {
    const key = newKey();
    await runInTransaction(key, "first");
    const laterKey = reuseLater(key, dayMs - 1);
    const fastNow = reuseLater(key, dayMs).now;
    const reuse = store.transaction((trx) =>
      runOnce(
        callAfterEachStatement(trx, () => purgeExpiredKeys(trx, fastNow)),
        laterKey,
        "second",
      ),
    );
    expect(await reuse).toEqual({ result: "first", replayed: true });
  });

  test("many simultaneous requests that reuse an expired key take effect once", async () => {
    const key = newKey();
    await runInTransaction(key, "first");
    const laterKey = reuseLater(key, dayMs);
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => runInTransaction(laterKey, `again ${index}`)),
    );
    expect(results.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(results.map(({ result }) => result)).size).toBe(1);
  });

  test(`one key creates an offer a day for ${creationCount} days while retention is running`, {
    timeout: 60_000 + creationCount * 100,
  }, async () => {
    let key = newKey();
    const deps = { store, now: () => key.now, signals: { publish: () => undefined }, linkTo };
    const input = { createdByUserId: "hana", title: "Bar", workerIds: ["amal"] };
    let hasFinished = false;
    const retention = (async () => {
      while (!hasFinished) await deleteExpiredKeys(store.background.db, key.now);
    })();
    const ids = new Set<string>();
    const createOfferADayLater = async (): Promise<void> => {
      key = reuseLater(key, dayMs);
      const created = await deps.store.transaction((trx) =>
        runIdempotently(trx, key, () => createOffer(trx, deps, organisationId, input)),
      );
      expect(created.replayed).toBe(false);
      ids.add(created.result);
    };
    try {
      for (let number = 0; number < creationCount; number += 1) await createOfferADayLater();
    } finally {
      hasFinished = true;
      await retention;
    }
    expect(ids.size).toBe(creationCount);
  });
});
