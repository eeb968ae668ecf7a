/** What is created. */
export const input = {
  createdByUserId: "user_hana",
  title: "Kitchen help on Friday",
  details: "Evening service, black trousers, knives provided.",
  workerIds: ["worker_amal", "worker_ben"],
  events: [{ start: "2099-05-01T16:00:00Z", end: "2099-05-01T22:00:00Z" }],
};

/** What is read. */
export const offer = {
  id: "offer_4f1c2a",
  title: input.title,
  details: input.details,
  isHistoric: false,
  widthdrawn: false,
  complete: false,
  locationPlaceId: "place_harbour_kitchen",
  createdAt: "2099-04-20T09:30:00.000Z",
  events: input.events,
  recipients: input.workerIds.map((workerId, index) => ({
    id: index,
    workerId,
    name: "Amal Haddad",
    response: "applied",
    confirmation: "",
  })),
};

/** Two calls of a client that is set up. Both go through `globalThis.fetch`, or a transport of the client's own. */
export interface Calls {
  read(): Promise<{ id: string }>;
  create(): Promise<{ id: string }>;
}

/** A way to call the service. */
export interface Contender {
  readonly label: string;
  open(baseUrl: string): Calls;
  /** A whole program that reads one offer, as a user would write it; it is bundled to be weighed. */
  readonly program: string;
}

export const apiKey = "key-of-harbour-hotels";
