// The process that kill.slow.test.ts kills. It records events as fast as it can, prints the id of each delivery once it is committed, and
// delivers the events concurrently.
import { recordEvent } from "../../src/webhooks/record-event.ts";
import { openDeliveryFixture } from "./delivery-fixture.ts";

const [, , options = "", organisationId = ""] = process.argv;
// The test removes the database.
const fixture = await openDeliveryFixture({ options: JSON.parse(options), remove: async () => undefined });
fixture.startDelivery();

for (let number = 0; ; number += 1) {
  const data = { offerId: "offer-1", workerId: `worker-${number % 20}`, response: "accepted" } as const;
  const event = { type: "workerOfferResponse", data } as const;
  const { deliveryId } = await fixture.store.transaction((trx) => recordEvent(trx, organisationId, event));
  console.log(deliveryId);
}
