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
  /** The age in days. */
  days: number;
  orderKey?: string;
  redeliveryOf?: string;
  eventId?: string;
}

/** A store with one organisation, for rows of any age. Each test starts with empty tables. */
export interface RetentionUnderTest {
  readonly store: Store;
  /** The id of the organisation that new deliveries and events belong to. */
  organisation: string;
  /** Deletes expired rows batch by batch until none are left. */
  purgeAll(now?: Date): Promise<void>;
  /** Adds a delivery, its event unless `eventId` is set, and one failed attempt. @returns the delivery id */
  addDelivery(delivery: DeliveryToAdd): Promise<string>;
  addEvent(days: number): Promise<string>;
  readIds(table: "deliveries" | "events" | "notifications" | "mails"): Promise<unknown[]>;
  countRows(table: string): Promise<unknown>;
}

/** Opens a store for the tests in a describe block. */
export function useRetention(createDatabase: StoreUnderTest["createDatabase"]): RetentionUnderTest {
  const store = useStore({ createDatabase });
  let organisation: string;
  beforeEach(async () => {
    await emptyTables(store);
    organisation = await addOrganisation(store);
  });

  async function purgeAll(now = today): Promise<void> {
    while (await purgeExpired(store, now, defaultRetention, rethrow));
  }

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
        delivery_id: id,
        method: "POST",
        path: "/worker-offer-responses",
        started_at: daysAgo(days),
        duration_ms: 5,
        status: 500,
        error: "not_acknowledged",
        content_type: "text/plain",
        response: "no",
        organisation_id: organisation,
        lag_ms: null,
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
    get organisation() {
      return organisation;
    },
    set organisation(id) {
      organisation = id;
    },
    purgeAll,
    addDelivery,
    addEvent,
    readIds,
    countRows,
  };
}
