import { randomUUID } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import { wakeLanes } from "../../examples/platform/src/outbox/queue.ts";
import { encrypt, sha256 } from "../../examples/platform/src/store/encrypt.ts";
import { openStore } from "../../examples/platform/src/store/open-store.ts";
import type { Store, Trx } from "../../examples/platform/src/store/store.ts";
import type { TestDatabase } from "../../examples/platform/test/support/stores/stores.ts";

export const encryptionKey = new Uint8Array(32).fill(9);
/** Of one organisation that creates offers. */
export const apiKey = "bench-key";
export const workerId = (number: number): string => `worker-${number}`;

export interface Backlog {
  /** Organisations with an endpoint each. */
  endpoints: number;
  /** Due at once; shared evenly among the endpoints. */
  events: number;
  /** With a device each. */
  workers: number;
  /** Acknowledged a hundred days ago, with an attempt each: retention deletes them. @default 0 */
  expired?: number;
  baseAddress: string;
}

/** Fills a fresh store. */
export async function makeBacklog(database: TestDatabase, backlog: Backlog): Promise<void> {
  const store = await openStore(database.options);
  const organisations = Array.from({ length: backlog.endpoints }, () => randomUUID());
  await store.transaction((trx) => addOrganisations(trx, organisations, backlog.baseAddress));
  await store.transaction((trx) => addWorkers(trx, backlog.workers));
  const perInsert = 2_000;
  for (let made = 0; made < backlog.events; made += perInsert)
    await store.transaction(async (trx) => {
      await addEvents(trx, organisations, made, Math.min(perInsert, backlog.events - made));
      await wakeLanes(trx, "webhooks", organisations);
    });
  for (let made = 0; made < (backlog.expired ?? 0); made += expiredPerInsert) await addExpired(store);
  // As a database that has been up for a while has done by itself.
  await store.execute("analyze");
  await store.close();
}

const expiredPerInsert = 10_000;

async function addExpired(store: Store): Promise<void> {
  if (store.name === "postgres") await store.execute("select add_week_of_attempts(now() - interval '100 days')");
  await store.execute(
    `with given as materialized (
      select gen_random_uuid()::text as id, ids[number % array_length(ids, 1) + 1] as organisation_id,
        now() - interval '100 days' as at
      from generate_series(1, $1::int) as number, (select array_agg(organisation_id) as ids from endpoints) as them
    ), event as (
      insert into events (id, organisation_id, type, data, created_at)
      select id, organisation_id, 'workerAddedContact', '{"workerId":"worker-1"}', at from given
    ), delivery as (
      insert into deliveries (id, event_id, organisation_id, order_key, state, attempts, settled_at)
      select id, id, organisation_id, id, 'acknowledged', 1, at from given
    )
    insert into attempts (delivery_id, organisation_id, method, path, started_at, duration_ms, status, lag_ms)
    select id, organisation_id, 'GET', '/contact/new/{workerId}', at, 5, 200, 10 from given`,
    [expiredPerInsert],
  );
}

async function addOrganisations(trx: Trx, ids: readonly string[], baseAddress: string): Promise<void> {
  const rows = ids.map((id) => ({ id, name: "Acme", kind: "hirer" as const }));
  await trx.insertInto("organisations").values(rows).execute();
  const [creator = ""] = ids;
  await trx
    .insertInto("api_keys")
    .values({ key_hash: sha256(apiKey), organisation_id: creator, agency_id: null })
    .execute();
  const person = { id: "person-1", organisation_id: creator, name: "Hana", password_hash: "none" };
  await trx.insertInto("people").values(person).execute();
  const endpoints = ids.map((id) => ({
    organisation_id: id,
    base_address: baseAddress,
    encrypted_secret: encrypt("a secret of some length", encryptionKey, id),
    suggests_contacts: false,
    updated_at: new Date(),
  }));
  await trx.insertInto("endpoints").values(endpoints).execute();
}

async function addWorkers(trx: Trx, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, number) => workerId(number));
  const workers = ids.map((id) => ({ id, name: "Amal", password_hash: "none" }));
  const devices = ids.map((id) => ({ id: `${id}-device`, worker_id: id, platform: "ios" as const }));
  const perInsert = 5_000;
  for (let from = 0; from < count; from += perInsert) {
    await trx
      .insertInto("workers")
      .values(workers.slice(from, from + perInsert))
      .execute();
    await trx
      .insertInto("devices")
      .values(devices.slice(from, from + perInsert))
      .execute();
  }
}

async function addEvents(trx: Trx, organisations: readonly string[], first: number, count: number) {
  const events = Array.from({ length: count }, (_, index) => ({
    id: uuidv7(),
    organisation_id: organisations[(first + index) % organisations.length] ?? "",
    type: "workerOfferResponse" as const,
    data: JSON.stringify({ offerId: `offer-${first + index}`, workerId: "worker-1", response: "accepted" }),
  }));
  const deliveries = events.map(({ id, organisation_id }) => ({
    id: uuidv7(),
    event_id: id,
    organisation_id,
    order_key: id,
    due_at: new Date(0),
  }));
  await trx.insertInto("events").values(events).execute();
  await trx.insertInto("deliveries").values(deliveries).execute();
}
