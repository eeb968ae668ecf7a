import type { Fetch } from "../http.ts";
import type { TestWebhooks } from "./delivery/test-webhooks.ts";
import type { RuntimeRequest, RuntimeResponse } from "./delivery/webhook-receiver.ts";

// Inferred from the global scope, as in http.ts.
type RuntimeFetch = typeof globalThis extends { fetch: infer GlobalFetch } ? GlobalFetch : Fetch;

/**
 * The initial state of the fake service.
 *
 * @example
 * ```ts
 * import { createTestService, type TestServiceOptions } from "@offers/client/testing";
 *
 * const options: TestServiceOptions = { workers: { worker_dana: "Dana Kim" }, userIds: ["user_bo"] };
 * export const service = createTestService({ ...options, dialect: "live" });
 * ```
 */
export interface TestServiceOptions {
  /** The base URL; a path prefix is allowed. @default "https://offers.test" */
  baseUrl?: string | undefined;
  /** The API key of the organisation under test. @default "test-key" */
  apiKey?: string | undefined;
  /** Whether to respond like the reference platform or like the live service, according to its documentation. @default "reference" */
  dialect?: "reference" | "live" | undefined;
  /** The names of the workers who can receive offers, by id. @default Amal, Ben and Cleo: `worker_amal`, `worker_ben`, `worker_cleo` */
  workers?: Readonly<Record<string, string>> | undefined;
  /** The ids of the organisation's users, who may create offers. @default ["user_hana"] */
  userIds?: readonly string[] | undefined;
  /** The service's clock, which `advance` then moves. @default the real clock, or your test runner's fake clock */
  now?: (() => Date) | undefined;
}

/**
 * A request as the service received it.
 *
 * @example
 * ```ts
 * import type { TestRequest } from "@offers/client/testing";
 *
 * export const idempotencyKeyOf = ({ headers }: TestRequest): string | undefined => headers["idempotency-key"];
 * ```
 */
export interface TestRequest {
  /** The HTTP method. */
  readonly method: string;
  /** The full URL, with its query. */
  readonly url: string;
  /** The request headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON, or the string if it is not JSON; undefined without a body. */
  readonly body: unknown;
}

/**
 * Tells one worker that an offer was created, completed (successfully for the worker or not) or withdrawn.
 *
 * @example
 * ```ts
 * import type { TestNotification } from "@offers/client/testing";
 *
 * export const hiredWorkers = (notifications: readonly TestNotification[]): string[] =>
 *   notifications.filter(({ reason }) => reason === "successful").map(({ workerId }) => workerId);
 * ```
 */
export interface TestNotification {
  /** The offer's id. */
  readonly offerId: string;
  /** The notified worker's id. */
  readonly workerId: string;
  /** Why the worker is notified. */
  readonly reason: "offer" | "successful" | "unsuccessful" | "withdrawn";
}

/**
 * How a request fails: with a response that you specify; before it is sent (`connection-refused`); before it reaches the service
 * (`connection-reset`); after it took effect (`response-lost`); or by hanging until the caller aborts, either before any response (`hang`)
 * or after the effect and the response headers (`hang-in-body`).
 */
export type TestFailure =
  | {
      /** The HTTP status. */
      status: number;
      /** The value of `Retry-After`. @default none */
      retryAfterSeconds?: number | undefined;
      /** Additional response headers. @default none */
      headers?: Readonly<Record<string, string>> | undefined;
      /** The response body. @default problem details with only the status */
      body?: string | undefined;
    }
  | "connection-refused"
  | "connection-reset"
  | "response-lost"
  | "hang"
  | "hang-in-body";

/**
 * An in-memory fake of the service. Its `fetch`, `baseUrl` and `apiKey` are client options, so you can pass it to the client:
 * `new OffersClient(service)`.
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
  /** Replaces the runtime's `fetch` for this service's URLs; it rejects all other URLs. */
  readonly fetch: RuntimeFetch;
  /** The service's base URL. */
  readonly baseUrl: string;
  /** The API key of the organisation under test. */
  readonly apiKey: string;
  /** All requests, oldest first, including those with an injected failure. */
  readonly requests: readonly TestRequest[];
  /** All notifications to workers, oldest first. */
  readonly notifications: readonly TestNotification[];
  /** Adds a worker who can receive offers. */
  addWorker(id: string, name: string): void;
  /**
   * Adds an API key for another organisation. With `actingFor`, adds a key for an agency that acts for the organisation whose key you
   * pass.
   */
  addApiKey(
    apiKey: string,
    grant?: {
      /** The users who may create offers with this key. @default none */
      userIds?: readonly string[] | undefined;
      /** An API key of the organisation that the agency acts for. @default a new organisation */
      actingFor?: string | undefined;
    },
  ): void;
  /**
   * Sets or changes a worker's response to an offer. A change triggers the webhook to your receiver, if there is one.
   *
   * @throws {Error} if the service would reject the response: `code` is `offer_not_found` for an offer that was not sent to the worker,
   * `offer_completed` or `offer_withdrawn`
   */
  respond(offerId: string, workerId: string, response: "applied" | "rejected"): void;
  /**
   * Makes the next `times` requests fail, after the failures that are already queued. @default once
   *
   * @throws {TypeError} for an unknown failure, or if `times` is not a positive integer
   */
  failNext(failure: TestFailure, times?: number): void;
  /**
   * Returns msw's request handlers for this service: `setupServer(...service.handlers(http))`, with msw's `http`. With msw, every
   * failure without a response becomes a lost connection.
   */
  handlers<Handler>(http: {
    /** Registers a handler, like msw's `http.all`. */
    all(
      path: string,
      resolver: (info: {
        /** The intercepted request. */
        request: RuntimeRequest;
      }) => Promise<RuntimeResponse>,
    ): Handler;
  }): Handler[];
}
