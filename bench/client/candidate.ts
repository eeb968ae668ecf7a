/** The offer to create. */
export const input = {
  createdByUserId: "user_hana",
  title: "Kitchen help on Friday",
  details: "Evening service, black trousers, knives provided.",
  workerIds: ["worker_amal", "worker_ben"],
  events: [{ start: "2099-05-01T16:00:00Z", end: "2099-05-01T22:00:00Z" }],
};

/** The offer to read. */
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

/** Two calls of a configured client, with its defaults for timeouts and retries. */
export interface Calls {
  read(): Promise<{ id: string }>;
  create(): Promise<{ id: string }>;
}

/** A way to call the service. */
export interface ClientCandidate {
  readonly label: string;
  /** Whether it calls `globalThis.fetch`, so that a stub can respond; otherwise only the real server does. */
  readonly usesFetch: boolean;
  open(baseUrl: string): Calls;
  /** The module to weigh and load; undefined if another candidate has the same code. */
  readonly package?: Package;
}

/** What a candidate adds to a program. */
export interface Package {
  /** A whole program that reads one offer, as a user would write it; it is bundled to be weighed. */
  readonly program: string;
  /** Where that program runs. @default "browser" */
  readonly platform?: "browser" | "node";
  /** The imports of that program. */
  readonly imports: readonly string[];
}

export const apiKey = "key-of-harbour-hotels";

/** Headers that every candidate sends, added if it does not add them itself. */
export const commonHeaders = { accept: "application/json", "x-ue-api-subscription-key": apiKey };
