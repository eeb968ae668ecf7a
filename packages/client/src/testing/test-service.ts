import type { Fetch } from "../http.ts";
import type { TestWebhooks } from "./delivery/test-webhooks.ts";
import type { RuntimeRequest, RuntimeResponse } from "./delivery/webhook-receiver.ts";

// Of whichever library declares them, as in globals.ts.
type RuntimeFetch = typeof globalThis extends { fetch: infer Known } ? Known : Fetch;

/**
 * The initial state of the service.
 *
 * @example
 * ```ts
 * import { createTestService, type TestServiceOptions } from "@offers/client/testing";
 *
 * const kitchen: TestServiceOptions = { workers: { worker_dana: "Dana Kim" }, userIds: ["user_bo"] };
 * export const service = createTestService({ ...kitchen, dialect: "live" });
 * ```
 */
export interface TestServiceOptions {
  /** A path prefix is fine. @default "https://offers.test" */
  baseUrl?: string | undefined;
  /** The key of the organisation under test. @default "test-key" */
  apiKey?: string | undefined;
  /** Responds like the reference platform, or the way the live service is documented to (D-51). @default "reference" */
  dialect?: "reference" | "live" | undefined;
  /** The workers who can receive offers: names by id. @default Amal, Ben and Cleo: `worker_amal`, `worker_ben`, `worker_cleo` */
  workers?: Readonly<Record<string, string>> | undefined;
  /** The organisation's users, who may create offers (D-37). @default ["user_hana"] */
  userIds?: readonly string[] | undefined;
  /** The service's clock before `advance` moves it. @default the real one, or the fake one of your test runner */
  now?: (() => Date) | undefined;
}

/**
 * A request as it arrived.
 *
 * @example
 * ```ts
 * import type { TestRequest } from "@offers/client/testing";
 *
 * export const keyOf = ({ headers }: TestRequest): string | undefined => headers["idempotency-key"];
 * ```
 */
export interface TestRequest {
  readonly method: string;
  readonly url: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, or the text if it is not JSON; undefined without a body. */
  readonly body: unknown;
}

/**
 * A notification of one worker about one offer: that it was created, completed (successful or not) or withdrawn.
 *
 * @example
 * ```ts
 * import type { TestNotification } from "@offers/client/testing";
 *
 * export const hired = (sent: readonly TestNotification[]): string[] =>
 *   sent.filter(({ reason }) => reason === "successful").map(({ workerId }) => workerId);
 * ```
 */
export interface TestNotification {
  readonly offerId: string;
  readonly workerId: string;
  readonly reason: "offer" | "successful" | "unsuccessful" | "withdrawn";
}

/**
 * How a request fails: with a response of yours; before it is sent (`connection-refused`); before it reaches the service
 * (`connection-reset`); after it had its effect (`response-lost`); or without an end, until the caller aborts: before any
 * response (`hang`), or after the effect and the response headers (`hang-in-body`).
 */
export type TestFailure =
  | {
      status: number;
      retryAfterSeconds?: number | undefined;
      headers?: Readonly<Record<string, string>> | undefined;
      /** @default problem details that say no more than the status */
      body?: string | undefined;
    }
  | "connection-refused"
  | "connection-reset"
  | "response-lost"
  | "hang"
  | "hang-in-body";

/**
 * An in-memory fake of the service. Its `fetch`, `baseUrl` and `apiKey` are options of the client, so
 * `new OffersClient(service)` uses it.
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
export interface TestService extends TestWebhooks {
  /** Replaces the runtime's `fetch` for this service's addresses; it rejects others. */
  readonly fetch: RuntimeFetch;
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Every request, the oldest first, including those with an injected failure. */
  readonly requests: readonly TestRequest[];
  /** Every notification sent to workers, the oldest first. */
  readonly notifications: readonly TestNotification[];
  /** Adds a worker to whom offers can be sent. */
  addWorker(id: string, name: string): void;
  /**
   * Adds a key: of another organisation with these users, or, with `actingFor`, of an agency with these users that acts for the
   * organisation with that key.
   */
  addApiKey(apiKey: string, grant?: { userIds?: readonly string[]; actingFor?: string }): void;
  /**
   * Sets or changes a worker's response to an offer (D-08), which triggers the webhook.
   *
   * @throws {Error} if the service would reject it: `code` is `offer_not_found` for an offer that was not sent to the worker,
   * `offer_completed` or `offer_withdrawn`
   */
  respond(offerId: string, workerId: string, response: "applied" | "rejected"): void;
  /**
   * The next `times` requests fail, after the failures that are already queued. @default once
   *
   * @throws {TypeError} for an unknown failure
   */
  failNext(failure: TestFailure, times?: number): void;
  /**
   * msw's request handlers over this service: `setupServer(...service.handlers(http))`, with the `http` of msw. There, every
   * failure without a response is a lost connection.
   */
  handlers<Handler>(http: {
    all(path: string, resolver: (info: { request: RuntimeRequest }) => Promise<RuntimeResponse>): Handler;
  }): Handler[];
}
