// A process of its own for kill.test.ts: records events as fast as it can, prints each delivery id once it is
// committed, and delivers meanwhile. It runs until it is killed.
import { recordEvent } from "../../src/delivery/record-event.ts";
import { openLowerHalf } from "./lower-half.ts";

const [, , options = "", organisationId = ""] = process.argv;
const half = await openLowerHalf({ options: JSON.parse(options), remove: async () => undefined });
half.startDelivery();

for (let number = 0; ; number += 1) {
  const data = { offerId: "offer-1", workerId: `worker-${number % 20}`, response: "accepted" } as const;
  const event = { type: "workerOfferResponse", data } as const;
  const { deliveryId } = await half.store.transaction((trx) => recordEvent(trx, organisationId, event));
  console.log(deliveryId);
}
