import { randomUUID } from "node:crypto";
import { defaultBreakerPolicy } from "@offers/contract/circuit-breaker";
import { createEndpointClient } from "../../src/endpoint-client/create-endpoint-client.ts";
import { type Leases, openLeases } from "../../src/outbox/leases.ts";
import type { Loop } from "../../src/outbox/timers.ts";
import { encrypt } from "../../src/store/encrypt.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Store } from "../../src/store/store.ts";
import type { AttemptRecord } from "../../src/webhooks/settle-attempts.ts";
import { type DeliveryOptions, startDelivery } from "../../src/webhooks/start-delivery.ts";
import { emptyTables } from "./empty-tables.ts";
import type { TestDatabase } from "./stores/stores.ts";

/** An AES-256 key, which has 32 bytes. */
export const testEncryptionKey = new Uint8Array(32).fill(7);

/** A retry schedule with short pauses: seven attempts within about two seconds. */
export const testSchedule = { delaysMs: [50, 100, 200, 300, 500, 800], jitter: 0, maxRetryAfterMs: 60_000 };

/** A breaker policy with short pauses that double up to a second. */
export const testBreaker = { ...defaultBreakerPolicy, firstPauseMs: 250, maxPauseMs: 1_000, jitter: 0 };

/** The store, leases and deliveries of one process, without the HTTP API. */
export interface DeliveryFixture {
  store: Store;
  leases: Leases;
  attempts: AttemptRecord[];
  errors: unknown[];
  /** Starts the delivery loop. A timer wakes it every 50 ms, because tests do not publish signals. */
  startDelivery(options?: Partial<DeliveryOptions>): Loop;
  /** Adds a loop, which is then woken and stopped together with the delivery loops. @returns the same loop */
  adopt(loop: Loop): Loop;
  /** Wakes every loop now. */
  wake(): void;
  /** Prepares a shared store for the next test: stops the loops, empties the tables, and clears `attempts` and `errors`. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export async function openDeliveryFixture(database: TestDatabase, leaseSeconds = 3): Promise<DeliveryFixture> {
  const errors: unknown[] = [];
  const attempts: AttemptRecord[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  // A statement for 10,000 workers may take longer than the default five seconds on a busy machine. store.test.ts tests that limit.
  const store = await openStore({ ...database.options, onError, transactionLimitMs: 60_000 });
  const leases = await openLeases(store, { leaseSeconds, onError });
  const endpointClient = createEndpointClient({ allowLoopback: true });
  const loops: Loop[] = [];
  const wake = (): void => {
    for (const loop of loops) loop.wake();
  };
  const wakeTimer = setInterval(wake, 50);
  const stopLoops = () => Promise.all(loops.splice(0).map((loop) => loop.stop()));
  const adopt = (loop: Loop): Loop => {
    loops.push(loop);
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
          store,
          leases,
          endpointClient,
          sign,
          encryptionKey: testEncryptionKey,
          onError,
          onAttempt,
          ...defaults,
          ...options,
        }),
      );
    },
    async reset() {
      await stopLoops();
      await emptyTables(store);
      await store.execute("delete from outbox_processes where id <> $1", [leases.processId]);
      attempts.length = 0;
      errors.length = 0;
    },
    async close() {
      clearInterval(wakeTimer);
      await stopLoops();
      await leases.stop();
      await endpointClient.close();
      await store.close();
    },
  };
}

/**
 * Adds an organisation.
 *
 * @param baseAddress if set, the function also adds a profile with this base URL and the secret `s3cret`
 * @returns the organisation id
 */
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
