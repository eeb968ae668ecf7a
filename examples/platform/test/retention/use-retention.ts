import { randomUUID } from "node:crypto";
import { beforeEach } from "vitest";
import { purgeExpired } from "../../src/retention.ts";
import { defaultRetention } from "../../src/settings/settings.ts";
import type { Store } from "../../src/store/store.ts";
import type { DeliveryState } from "../../src/store/tables.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { emptyTables } from "../support/empty-tables.ts";
import type { StoreUnderTest } from "../support/stores/stores.ts";
import { useStore } from "../support/use-opened.ts";

export const today = new Date("2030-06-01T00:00:00Z");
export const rethrow = (error: unknown): never => {
  throw error;
};
export const daysAgo = (days: number): Date => new Date(today.getTime() - days * 86_400_000);

interface DeliveryToAdd {
  state: DeliveryState;
  ageDays: number;
  orderKey?: string;
  redeliveryOf?: string;
  eventId?: string;
}

/** A store for rows of any age. Each test starts with a new organisation and no other rows. */
export interface RetentionUnderTest {
  readonly store: Store;
  /** The id of the organisation that new deliveries and events belong to. */
  organisationId: string;
  /** Deletes expired rows batch by batch until none are left. */
  purgeAll(now?: Date): Promise<void>;
  /** Adds a delivery, its event unless `eventId` is set, and one failed attempt. @returns the delivery id */
  addDelivery(delivery: DeliveryToAdd): Promise<string>;
  /** Adds an event. @returns the event id */
  addEvent(ageDays: number): Promise<string>;
  readIds(table: "deliveries" | "events" | "notifications" | "mails"): Promise<unknown[]>;
  countRows(table: string): Promise<unknown>;
}

/** Opens a store for the tests in a describe block. */
export function useRetention(createDatabase: StoreUnderTest["createDatabase"]): RetentionUnderTest {
  const store = useStore({ createDatabase });
  let organisationId: string;
  beforeEach(async () => {
    await emptyTables(store);
    organisationId = await addOrganisation(store);
  });

  async function purgeAll(now = today): Promise<void> {
    let hasMore = true;
    while (hasMore) hasMore = await purgeExpired(store, now, defaultRetention, rethrow);
  }

  async function addDelivery({ state, ageDays, orderKey, redeliveryOf, eventId }: DeliveryToAdd): Promise<string> {
    const id = randomUUID();
    const createdAt = daysAgo(ageDays);
    await store.db
      .insertInto("deliveries")
      .values({
        id,
        event_id: eventId ?? (await addEvent(ageDays)),
        organisation_id: organisationId,
        order_key: orderKey ?? id,
        state,
        due_at: state === "pending" ? createdAt : null,
        settled_at: state === "pending" ? null : createdAt,
        redelivery_of: redeliveryOf ?? null,
      })
      .execute();
    await store.db
      .insertInto("attempts")
      .values({
        delivery_id: id,
        method: "POST",
        path: "/worker-offer-responses",
        started_at: createdAt,
        duration_ms: 5,
        status: 500,
        error: "not_acknowledged",
        content_type: "text/plain",
        response: "no",
        organisation_id: organisationId,
        lag_ms: null,
      })
      .execute();
    return id;
  }
  async function addEvent(ageDays: number): Promise<string> {
    const id = randomUUID();
    const event = { id, organisation_id: organisationId, type: "workerAddedContact" as const, data: "{}" };
    await store.db
      .insertInto("events")
      .values({ ...event, created_at: daysAgo(ageDays) })
      .execute();
    return id;
  }
  const readIds = async (table: "deliveries" | "events" | "notifications" | "mails"): Promise<unknown[]> => {
    const { rows } = await store.execute(`select id from ${table}`);
    return rows.map(({ id }) => id);
  };
  const countRows = async (table: string): Promise<unknown> =>
    (await store.execute(`select count(*)::integer as count from ${table}`)).rows[0]?.count;
  return {
    get store() {
      return store;
    },
    get organisationId() {
      return organisationId;
    },
    set organisationId(id) {
      organisationId = id;
    },
    purgeAll,
    addDelivery,
    addEvent,
    readIds,
    countRows,
  };
}
