import { expect, test } from "vitest";
import { createEndpointClient } from "../../src/endpoint-client/create-endpoint-client.ts";
import { createSigner } from "../../src/endpoint-client/send-signed.ts";
import { claimRows } from "../../src/outbox/claim.ts";
import { Leases } from "../../src/outbox/leases.ts";
import { attemptDelivery, loadDeliveries } from "../../src/webhooks/attempt-delivery.ts";
import { recordEvent } from "../../src/webhooks/record-event.ts";
import { createWebhookQueue } from "../../src/webhooks/start-delivery.ts";
import { addOrganisation, openDeliveryFixture, testEncryptionKey } from "../support/delivery-fixture.ts";
import { openReceiver, respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";

test("a delivery claimed before the address changed goes to the old address, with its secret", async () => {
  const [store] = await anyStore();
  const database = await store.createDatabase();
  const fixture = await openDeliveryFixture(database);
  const [receiver, newReceiver] = [await openReceiver(), await openReceiver(respondWith(401))];
  const endpointClient = createEndpointClient({ allowLoopback: true });
  const organisationId = await addOrganisation(fixture.store, receiver.baseAddress);
  const event = { type: "workerAddedContact", data: { workerId: "worker-1" } } as const;
  await fixture.store.transaction((trx) => recordEvent(trx, organisationId, event));
  const now = () => new Date();
  const leases = new Leases(fixture.store, 3_000, (error) => fixture.errors.push(error));
  const [lease] = (await claimRows(fixture.store, leases, createWebhookQueue(now), 1)) ?? [];
  const claimedDelivery = (await loadDeliveries(fixture.store, lease ? [lease] : [], now())).get(lease?.rowId ?? 0);
  if (claimedDelivery === undefined) throw new Error("The delivery was not claimed.");
  await fixture.store.db.updateTable("endpoints").set({ base_address: newReceiver.baseAddress }).execute();
  const onError = (error: unknown) => void fixture.errors.push(error);
  const context = {
    endpointClient,
    sign: createSigner(now),
    encryptionKey: testEncryptionKey,
    timeoutMs: 2_000,
    now,
    onError,
  };
  expect(await attemptDelivery(context, claimedDelivery)).toMatchObject({ status: 200 });
  expect([receiver.requests.length, newReceiver.requests.length, fixture.errors]).toEqual([1, 0, []]);
  for (const resource of [receiver, newReceiver, endpointClient, fixture]) await resource.close();
  await database.remove();
});
