import { randomUUID } from "node:crypto";
import type { AttemptRecord } from "../../src/delivery/attempt-record.ts";
import { defaultBreakerPolicy } from "../../src/delivery/breaker-policy.ts";
import { type DeliveryOptions, startDelivery } from "../../src/delivery/start-delivery.ts";
import { createOutbound } from "../../src/outbound/create-outbound.ts";
import type { Leases } from "../../src/outbox/leases.ts";
import { openLeases } from "../../src/outbox/open-leases.ts";
import type { Loop } from "../../src/outbox/run-loop.ts";
import { encrypt } from "../../src/store/encryption/encrypt.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Store } from "../../src/store/store.ts";
import type { StorePlace } from "./stores/stores.ts";

/** Thirty-two bytes, whatever they are. */
export const testEncryptionKey = new Uint8Array(32).fill(7);

/** Short pauses: seven attempts within about two seconds. */
export const testSchedule = { delaysMs: [50, 100, 200, 300, 500, 800], jitter: 0, maxRetryAfterMs: 60_000 };

/** Short pauses too, doubled up to a second. */
export const testBreaker = { ...defaultBreakerPolicy, firstPauseMs: 250, maxPauseMs: 1_000, jitter: 0 };

/** The store, the leases and deliveries over them, as one process has them. */
export interface LowerHalf {
  store: Store;
  leases: Leases;
  attempts: AttemptRecord[];
  errors: unknown[];
  /** The loop looks every 20 ms: tests announce nothing. */
  startDelivery(options?: Partial<DeliveryOptions>): Loop;
  /** Wakes a loop, and stops it, like those of deliveries. */
  adopt(loop: Loop): Loop;
  /** Has every loop look now. */
  wake(): void;
  /** Between two tests over one store: stops the loops and leaves nothing in the tables. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export async function openLowerHalf(place: StorePlace, leaseSeconds = 3): Promise<LowerHalf> {
  const errors: unknown[] = [];
  const attempts: AttemptRecord[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const store = await openStore({ ...place.options, onError });
  const leases = await openLeases(store, { leaseSeconds, onError });
  const outbound = createOutbound({ allowLoopback: true });
  const running: Loop[] = [];
  const wake = (): void => {
    for (const loop of running) loop.wake();
  };
  const looking = setInterval(wake, 20);
  const stop = () => Promise.all(running.splice(0).map((loop) => loop.stop()));
  const adopt = (loop: Loop): Loop => {
    running.push(loop);
    return loop;
  };
  return {
    adopt,
    store,
    leases,
    wake,
    attempts,
    errors,
    startDelivery(options = {}) {
      const sign = (secret: string) => ({ authorization: `test ${secret}` });
      const onAttempt = (record: AttemptRecord): void => void attempts.push(record);
      const defaults = { retrySchedule: testSchedule, breaker: testBreaker, attemptTimeoutMs: 20_000 };
      return adopt(
        startDelivery({
          ...{ store, leases, outbound, sign, encryptionKey: testEncryptionKey, onError, onAttempt },
          ...{ ...defaults, ...options },
        }),
      );
    },
    async reset() {
      await stop();
      await store.execute("truncate organisations, workers, people cascade");
      await store.execute("truncate attempts, outbox_wakeups, outbox_leases, mails");
      await store.execute("delete from outbox_processes where id <> $1", [leases.processId]);
      for (const list of [attempts, errors]) list.splice(0);
    },
    async close() {
      clearInterval(looking);
      await stop();
      await leases.stop();
      await outbound.close();
      await store.close();
    },
  };
}

/** An organisation whose profile has this address and the secret `s3cret`; without an address, none. */
export async function addOrganisation(store: Store, baseAddress?: string): Promise<string> {
  const id = randomUUID();
  await store.db.insertInto("organisations").values({ id, name: "Acme", kind: "hirer" }).execute();
  if (baseAddress !== undefined)
    await store.db
      .insertInto("endpoints")
      .values({
        organisation_id: id,
        base_address: baseAddress,
        encrypted_secret: encrypt("s3cret", testEncryptionKey, id),
        suggests_contacts: false,
        updated_at: new Date(),
      })
      .execute();
  return id;
}
