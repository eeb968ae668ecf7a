import { afterEach, beforeEach } from "vitest";
import { type EventToRecord, recordEvent } from "../../src/webhooks/record-event.ts";
import { addOrganisation, type DeliveryFixture } from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { openReceiver, type Receiver } from "../support/receiver.ts";
import type { StoreUnderTest } from "../support/stores/stores.ts";
import { useDeliveryFixture } from "../support/use-opened.ts";

export type WorkerResponse = "accepted" | "rejected";

/** Creates the event for a worker's response to `offer-1`. */
export const workerResponse = (workerId: string, response: WorkerResponse = "accepted"): EventToRecord => ({
  type: "workerOfferResponse",
  data: { offerId: "offer-1", workerId, response },
});

/** A retry schedule with only one attempt. */
export const singleAttempt = { delaysMs: [], jitter: 0, maxRetryAfterMs: 0 };

/** One process and an organisation with an endpoint. Each test gets a new organisation and a new endpoint. */
export interface Deliveries {
  readonly fixture: DeliveryFixture;
  readonly receiver: Receiver;
  readonly organisationId: string;
  /** Records an event, by default for the organisation of this test. @returns the delivery id */
  record(event: EventToRecord, organisationId?: string): Promise<string>;
  readState(id: string): Promise<string>;
  /** Waits until the delivery has this state. */
  waitForState(id: string, state: string): Promise<void>;
  /** Returns the delivery ids of all requests, in order. */
  listReceivedIds(): (string | undefined)[];
  /** Waits until no delivery is pending. */
  waitUntilSettled(): Promise<void>;
}

/** Opens a store for the tests in a describe block, and an endpoint for each test. */
export function useDeliveries(createDatabase: StoreUnderTest["createDatabase"]): Deliveries {
  const fixture = useDeliveryFixture(createDatabase);
  let receiver: Receiver;
  let organisationId: string;
  beforeEach(async () => {
    receiver = await openReceiver();
    organisationId = await addOrganisation(fixture.store, `${receiver.baseAddress}/someprefix/`);
  });
  afterEach(async () => {
    await fixture.reset();
    await receiver.close();
  });

  const deliveries: Deliveries = {
    get fixture() {
      return fixture;
    },
    get receiver() {
      return receiver;
    },
    get organisationId() {
      return organisationId;
    },
    async record(event, recipientId = organisationId) {
      const { deliveryId } = await fixture.store.transaction((trx) => recordEvent(trx, recipientId, event));
      if (deliveryId === undefined) throw new Error("no delivery was recorded");
      return deliveryId;
    },
    async readState(deliveryId) {
      const { state } = await fixture.store.db
        .selectFrom("deliveries")
        .select("state")
        .where("id", "=", deliveryId)
        .executeTakeFirstOrThrow();
      return state;
    },
    waitForState: (id, state) =>
      eventually(`${id} is ${state}`, async () => (await deliveries.readState(id)) === state),
    listReceivedIds: () => receiver.requests.map(({ headers }) => headers["offers-delivery-id"]?.toString()),
    async waitUntilSettled() {
      const pending = fixture.store.db.selectFrom("deliveries").select("id").where("state", "=", "pending");
      await eventually("no delivery is pending", async () => (await pending.execute()).length === 0);
    },
  };
  return deliveries;
}
