// Four calls, whose type instantiations are counted.
import { OffersClient } from "@offers/client";

const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: "key" });
const { id } = await offers.createOffer({ createdByUserId: "u", title: "t", workerIds: ["w"] });
const offer = await offers.getOffer(id);
await offers.completeOffer(offer.id, ["w"]);
await offers.withdrawOffer(offer.id);
