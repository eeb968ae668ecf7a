import type { Fetch } from "../fetch.ts";

// Of whichever library declares them, as in globals.ts.
type RuntimeFetch = typeof globalThis extends { fetch: infer Known } ? Known : Fetch;
type RuntimeRequest = typeof globalThis extends { Request: { prototype: infer Known } } ? Known : { url: string };
type RuntimeResponse = typeof globalThis extends { Response: { prototype: infer Known } } ? Known : { status: number };

/** How the service is at the start. */
export interface TestServiceOptions {
  /** A path prefix is fine. @default "https://offers.test" */
  baseUrl?: string | undefined;
  /** The key of the organisation under test. @default "test-key" */
  apiKey?: string | undefined;
  /** Answers as the reference platform does, or as the live service is known to (D-51). @default "reference" */
  dialect?: "reference" | "live" | undefined;
  /** Who can be sent an offer: names by id. @default Amal, Ben and Cleo: `worker_amal`, `worker_ben`, `worker_cleo` */
  workers?: Readonly<Record<string, string>> | undefined;
  /** The organisation's users, who may create offers (D-37). @default ["user_hana"] */
  userIds?: readonly string[] | undefined;
  /** The service's clock. @default the real one, or the fake one of your test runner */
  now?: (() => Date) | undefined;
}

/** A request as it arrived. */
export interface TestRequest {
  readonly method: string;
  readonly url: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, or the text where it is none; undefined without a body. */
  readonly body: unknown;
}

/** What one worker was told of one offer: that it is there, what became of it, or that it is withdrawn. */
export interface TestNotification {
  readonly offerId: string;
  readonly workerId: string;
  readonly reason: "offer" | "successful" | "unsuccessful" | "withdrawn";
}

/**
 * How a request fails: with an answer; before it is sent (`refuse`); on its way there (`drop`); on its way back, after it had
 * its effect (`lose answer`); or never, until the caller gives up: without an answer (`stall`), or after its effect and the
 * headers (`stall in body`).
 */
export type TestFailure =
  | {
      status: number;
      retryAfterSeconds?: number | undefined;
      headers?: Readonly<Record<string, string>> | undefined;
      /** @default problem details that say no more than the status */
      body?: string | undefined;
    }
  | "refuse"
  | "drop"
  | "lose answer"
  | "stall"
  | "stall in body";

/**
 * A service in memory. It has what an `OffersClient` needs (`fetch`, `baseUrl`, `apiKey`), so `new OffersClient(service)`
 * speaks to it.
 *
 * @example
 * ```ts
 * import { OffersClient } from "@offers/client";
 * import { createTestService, type TestService } from "@offers/client/testing";
 *
 * const hire = async (service: TestService, offers: OffersClient): Promise<void> => {
 *   const { id } = await offers.createOffer({
 *     createdByUserId: "user_hana",
 *     title: "Kitchen help on Friday",
 *     workerIds: ["worker_amal", "worker_ben"],
 *   });
 *   service.respond(id, "worker_amal", "applied");
 *   await offers.completeOffer(id, ["worker_amal"]);
 *   console.log(service.notifications.filter(({ reason }) => reason === "successful"));
 * };
 * const service = createTestService();
 * await hire(service, new OffersClient(service));
 * ```
 */
export interface TestService {
  /** Stands in for the runtime's `fetch`, for this service's addresses only; others are rejected. */
  readonly fetch: RuntimeFetch;
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Every request that arrived, the oldest first; one that is refused or dropped too. */
  readonly requests: readonly TestRequest[];
  /** Every notification that workers were sent, the oldest first. */
  readonly notifications: readonly TestNotification[];
  /** Makes a worker known, whom offers may then be addressed to. */
  addWorker(id: string, name: string): void;
  /**
   * Issues another key: of another organisation with users of its own, or, with `offersOf`, of an agency with these users
   * that acts for the organisation which has that key.
   */
  addApiKey(apiKey: string, grant?: { userIds?: readonly string[]; offersOf?: string }): void;
  /**
   * A worker answers an offer, or changes the answer (D-08).
   *
   * @throws {Error} when the service would refuse it: `code` is `offer_not_found` for an offer that the worker was not sent,
   * `offer_completed` or `offer_withdrawn`
   */
  respond(offerId: string, workerId: string, response: "applied" | "rejected"): void;
  /**
   * The next `times` requests fail so, after those that were told to fail before. @default once
   *
   * @throws {TypeError} for a failure that is none of those
   */
  failNext(failure: TestFailure, times?: number): void;
  /**
   * msw's request handlers over this service: `setupServer(...service.handlers(http))`, with the `http` of msw. There, every
   * failure without an answer is a lost connection.
   */
  handlers<Handler>(http: {
    all(path: string, resolver: (info: { request: RuntimeRequest }) => Promise<RuntimeResponse>): Handler;
  }): Handler[];
}
