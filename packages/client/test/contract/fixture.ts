import type { Offer, OfferInput } from "../../src/index.ts";

/** The outcome of a call, through either driver. */
export type Outcome<Data> =
  | { ok: true; data: Data }
  | { ok: false; status: number | undefined; code: string | undefined; fields: string[] };

export interface DriverOptions {
  /** @default Harbour's key */
  apiKey?: string;
  idempotencyKey?: string;
}

/** Calls the four operations, without retries. */
export interface OffersDriver {
  create(input: OfferInput, call?: DriverOptions): Promise<Outcome<{ id: string }>>;
  read(id: string, call?: DriverOptions): Promise<Outcome<Offer>>;
  complete(id: string, workerIds: string[], call?: DriverOptions): Promise<Outcome<unknown>>;
  withdraw(id: string, call?: DriverOptions): Promise<Outcome<unknown>>;
}

/** The API keys of the organisations in every fixture: Hana works for Harbour, Bo for the bistro, Ada for the agency Crew. */
export const keys = {
  harbour: "demo-key-harbour",
  bistro: "demo-key-bistro",
  crew: "demo-key-crew",
  crewForHarbour: "demo-key-crew-for-harbour",
} as const;

export const workers = {
  worker_amal: "Amal Haddad",
  worker_ben: "Ben Okafor",
  worker_cleo: "Cleo Martin",
  worker_dana: "Dana Kim",
} as const;

export type WorkerId = keyof typeof workers;

/** A service under test, with the organisations of `keys` and with `workers`. */
export interface ContractFixture {
  dialect: "reference" | "live";
  baseUrl: string;
  fetch: typeof globalThis.fetch;
  /** @returns `done`, or the code of the problem that the worker receives */
  respond(offerId: string, workerId: WorkerId, response: "applied" | "rejected"): Promise<string>;
  /** Returns the worker's notifications about the offer, oldest first. Waits for `count` of them, because a push takes time. */
  notifications(offerId: string, workerId: WorkerId, count: number): Promise<string[]>;
  close(): Promise<void>;
}
