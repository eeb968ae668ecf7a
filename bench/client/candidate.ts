/** The request body that creates an offer. */
export const input = {
  createdByUserId: "user_hana",
  title: "Kitchen help on Friday",
  details: "Evening service, black trousers, knives provided.",
  workerIds: ["worker_amal", "worker_ben"],
  events: [{ start: "2099-05-01T16:00:00Z", end: "2099-05-01T22:00:00Z" }],
};

/** The response body for reading an offer. */
export const offer = {
  id: "offer_4f1c2a",
  title: input.title,
  details: input.details,
  isHistoric: false,
  // The contract's spelling.
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

/** The two measured calls, made by a client with its default timeouts and retries. */
export interface Calls {
  read(): Promise<{ id: string }>;
  create(): Promise<{ id: string }>;
}

/** A client that the benchmark compares. */
export interface ClientCandidate {
  readonly label: string;
  /** Whether it calls `globalThis.fetch`, so that it can be measured with a stub as well as with a server. */
  readonly usesFetch: boolean;
  /** Creates the client. */
  open(baseUrl: string): Calls;
  /** The code whose size and load time are measured, or undefined if another candidate has the same code. */
  readonly package?: Package;
}

/** A program that uses a candidate, and the modules that it imports. */
export interface Package {
  /** A complete program that reads one offer, as a user would write it. Its bundle is measured. */
  readonly program: string;
  /** Where that program runs. @default "browser" */
  readonly platform?: "browser" | "node";
  /** The modules that the program imports. */
  readonly imports: readonly string[];
}

export const apiKey = "key-of-harbour-hotels";

/** Headers that every request must have. They are passed to the clients that do not add them. */
export const commonHeaders = { accept: "application/json", "x-ue-api-subscription-key": apiKey };
