import type { WorkerOfferResponse } from "../endpoints/events.ts";
import type { EventContext } from "../endpoints/handlers.ts";
import { ConfigurationError } from "../errors/errors.ts";
import { rejectUnknownOptions } from "../errors/option-names.ts";
import { reconcileConcurrency } from "../generated/decisions.ts";
import type { Inbox } from "../inbox/inbox.ts";
import { forEachConcurrently, Pacer } from "./concurrency.ts";
import {
  createEventContext,
  type EventHandlers,
  findHandler,
  requireFunctions,
  requireHandler,
  requireOption,
} from "./event-handlers.ts";

/**
 * Where to read the workers' current responses, and the handler for the responses that changed. Pass the same source to `reconcile` and to
 * `reconcileOnWebhook`.
 *
 * @example
 * ```ts
 * import { OffersClient } from "@offers/client";
 * import type { ResponseSource } from "@offers/webhook-kit/catch-up";
 * import { postgresInbox } from "@offers/webhook-kit/postgres";
 * import { Pool } from "pg";
 *
 * const pool = new Pool({ connectionString: "postgres://127.0.0.1:5432/planning" });
 * pool.on("error", ({ message }) => console.error(message)); // without it, a lost idle connection crashes the process
 * const inbox = postgresInbox(pool);
 * const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: process.env.OFFERS_API_KEY ?? "" });
 *
 * export const source: ResponseSource = {
 *   inbox,
 *   getOffer: (id, options) => offers.getOffer(id, options),
 *   async onWorkerOfferResponse({ offerId, workerId, response }, context) {
 *     await inbox.once(context, (tx) =>
 *       tx.query("UPDATE shifts SET response = $3 WHERE offer_id = $1 AND worker_id = $2", [offerId, workerId, response]),
 *     );
 *   },
 * };
 * ```
 */
export interface ResponseSource extends Pick<EventHandlers, "onWorkerOfferResponse" | "onEvent"> {
  /**
   * Reads an offer, like `getOffer` from `@offers/client`. For an offer that does not exist, it resolves with undefined or rejects with an
   * error that has the code `not_found` or the status 404.
   */
  getOffer(
    id: string,
    options: {
      /** Aborts the read. */
      readonly signal?: AbortSignal;
    },
  ): Promise<
    | {
        /** The workers who were sent the offer. */
        readonly recipients: readonly {
          /** The worker's id. */
          readonly workerId: string;
          /** The worker's current response. */
          readonly response: string;
        }[];
      }
    | undefined
  >;
  /** Your handler's inbox, which records the response that was handled last. */
  readonly inbox: Pick<Inbox<never>, "lastResponses">;
  /**
   * Converts a recipient's response to the one that a webhook would contain; returns undefined to ignore the response.
   * @default "applied" becomes "accepted", "rejected" stays
   */
  readonly toResponse?: ((response: string) => string | undefined) | undefined;
  /** The organisation's name. Needed if your receiver serves several, because their offers may have the same id. @default "" */
  readonly tenant?: string | undefined;
}

/**
 * The offers to read, and how fast.
 *
 * @example
 * ```ts
 * import type { ReconcileOptions } from "@offers/webhook-kit/catch-up";
 *
 * export const gently = (options: ReconcileOptions): ReconcileOptions => ({
 *   ...options,
 *   requestsPerSecond: 5,
 *   onProgress: ({ offerId }) => console.log("read", offerId),
 * });
 * ```
 */
export interface ReconcileOptions extends ResponseSource {
  /** The ids of the offers that are still open. They are read lazily, one after another. */
  readonly offerIds: Iterable<string> | AsyncIterable<string>;
  /** How many offers to read in parallel. Each may use one connection to the inbox database. @default 4 */
  readonly concurrency?: number | undefined;
  /** The maximum number of calls to `getOffer` per second, evenly spaced. @default no limit */
  readonly requestsPerSecond?: number | undefined;
  /**
   * Passed to `getOffer`. Once it aborts, no more reads start, and `reconcile` rejects with the signal's reason when the reads in progress
   * have ended.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called after each offer. If `concurrency` is above 1, up to that many earlier offers may still be in progress. When you resume after a
   * crash, go back by that many offers, because reading an offer twice is harmless.
   */
  readonly onProgress?:
    | ((progress: {
        /** The offer's id. */
        readonly offerId: string;
        /** The counts so far. */
        readonly summary: ReconcileSummary;
      }) => unknown)
    | undefined;
  /**
   * Called for an offer that could not be read or handled. The other offers are still read. @default stop at the first failure and reject
   */
  readonly onFailure?:
    | ((failure: {
        /** The offer's id. */
        readonly offerId: string;
        /** Why it failed. */
        readonly error: unknown;
      }) => unknown)
    | undefined;
}

/**
 * What `reconcile` has counted so far. It sees only current responses, so it does not count an added contact, or a response that changed
 * and changed back between two reads.
 *
 * @example
 * ```ts
 * import type { ReconcileSummary } from "@offers/webhook-kit/catch-up";
 *
 * export const isQuiet = ({ caughtUp, unknown, failed }: ReconcileSummary): boolean => caughtUp + unknown + failed === 0;
 * ```
 */
export interface ReconcileSummary {
  /** Offers that were read. */
  readonly read: number;
  /** Offers that no longer exist, or that your organisation is not allowed to read. */
  readonly gone: number;
  /** Offers that could not be read or handled. `onFailure` was called for each of them. */
  readonly failed: number;
  /** Responses whose handler had already run. */
  readonly known: number;
  /** Responses whose handler ran now. */
  readonly caughtUp: number;
  /** Recipients who have not responded. */
  readonly waiting: number;
  /** Recipients whose response `toResponse` ignored. */
  readonly unknown: number;
  /** Calls to `getOffer`. */
  readonly requests: number;
}

/**
 * Handles the responses whose webhooks never arrived, for example because your receiver was down for longer than the service retries. It
 * reads each offer, and where a worker's response differs from the one that was handled last, it runs the same handler in the inbox's
 * transaction. It compares states, so if a worker applied, rejected and applied again between two reads, there is nothing to handle.
 *
 * Use {@link reconcileOnWebhook} for webhooks about the same responses. Run `reconcile` when your receiver starts, and as a regular
 * job. The first run handles the current response of every recipient, because no response has been recorded yet.
 *
 * @throws {ConfigurationError} (rejects) `invalid_option`
 * @throws (rejects) the signal's reason, or the first error that `offerIds`, `onProgress` or `onFailure` threw; without `onFailure`, also
 * the first error that `getOffer`, the handler or the database threw
 *
 * @example
 * ```ts
 * import { reconcile, type ResponseSource } from "@offers/webhook-kit/catch-up";
 *
 * declare const source: ResponseSource;
 * declare function openOffers(): AsyncIterable<string>;
 *
 * const { read, caughtUp } = await reconcile({ ...source, offerIds: openOffers(), requestsPerSecond: 10 });
 * console.log(`offers read: ${read}, missed responses: ${caughtUp}`);
 * ```
 */
export async function reconcile(options: ReconcileOptions): Promise<ReconcileSummary> {
  checkSource("reconcile", options, [...sourceOptionNames, ...reconcileOptionNames]);
  requireFunctions("reconcile", options, ["onProgress", "onFailure"]);
  const { offerIds, concurrency = reconcileConcurrency, requestsPerSecond, signal, onProgress, onFailure } = options;
  requireOption("reconcile", "offerIds", isIterableObject(offerIds), "an array, or another iterable or async iterable");
  checkNumber("concurrency", concurrency, 1, 1_000, { isInteger: true });
  checkNumber("requestsPerSecond", requestsPerSecond ?? 1, 0.001, 100_000);
  const summary = { read: 0, gone: 0, failed: 0, known: 0, caughtUp: 0, waiting: 0, unknown: 0, requests: 0 };
  const pacer = new Pacer(requestsPerSecond === undefined ? 0 : 1_000 / requestsPerSecond);
  const source: ResponseSource = {
    ...options,
    async getOffer(id, readOptions) {
      await pacer.wait(signal);
      summary.requests += 1;
      return options.getOffer(id, readOptions);
    },
  };
  await forEachConcurrently(offerIds, concurrency, signal, async (offerId) => {
    try {
      await reconcileOffer(source, offerId, signal, summary);
    } catch (error) {
      if (!onFailure || signal?.aborted) throw error;
      summary.failed += 1;
      await onFailure({ offerId, error });
    }
    await onProgress?.({ offerId, summary: { ...summary } });
  });
  return summary;
}

/** Reads one offer, handles the responses that have changed, and adds the results to `summary`. */
async function reconcileOffer(
  source: ResponseSource,
  offerId: string,
  signal: AbortSignal | undefined,
  summary: { -readonly [Count in keyof ReconcileSummary]: number },
): Promise<void> {
  const recipients = await readRecipients(source, offerId, signal);
  if (recipients === undefined) {
    summary.gone += 1;
    return;
  }
  summary.read += 1;
  const { tenant } = source;
  const keys = recipients.map(({ workerId }) => ({ tenant, offerId, workerId }));
  const lastResponses = await source.inbox.lastResponses.find(keys);
  for (const [index, { workerId, response }] of recipients.entries()) {
    const current = convertResponse(source, response);
    if (current === undefined) {
      if (response === "none") summary.waiting += 1;
      else summary.unknown += 1;
    } else if (current === lastResponses[index]) {
      summary.known += 1;
    } else {
      const context = createEventContext("reconciled", signal);
      const isHandledNow = await handleCurrentResponse(source, offerId, workerId, context);
      if (isHandledNow) summary.caughtUp += 1;
      else summary.known += 1;
    }
  }
}

/**
 * Creates a handler for your receiver that uses a webhook about a response only as a signal to read the offer. The handler in `source`
 * receives the worker's current response, unless it was already handled. So a late retry does not overwrite a newer response, and a webhook
 * is a duplicate if {@link reconcile} has already handled its response.
 *
 * @throws {ConfigurationError} `invalid_option`
 *
 * @example
 * ```ts
 * import { type ResponseSource, reconcileOnWebhook } from "@offers/webhook-kit/catch-up";
 * import { webhookRouter } from "@offers/webhook-kit/express";
 *
 * declare const source: ResponseSource;
 *
 * webhookRouter({ secret: process.env.WEBHOOK_SECRET ?? "", onWorkerOfferResponse: reconcileOnWebhook(source) });
 * ```
 */
export function reconcileOnWebhook(
  source: ResponseSource,
): (event: WorkerOfferResponse, context: EventContext) => Promise<void> {
  checkSource("reconcileOnWebhook", source, sourceOptionNames);
  return async ({ offerId, workerId }, context) => {
    await handleCurrentResponse(source, offerId, workerId, context);
  };
}

/**
 * Calls the handler if the recipient's response has changed. Reads the offer while the recipient's record is locked. Without the lock,
 * another process could handle a newer response between the read and the update, and the older response would then overwrite the newer one.
 *
 * @returns whether the response had changed and has been handled
 */
async function handleCurrentResponse(
  source: ResponseSource,
  offerId: string,
  workerId: string,
  context: EventContext,
): Promise<boolean> {
  const { inbox, tenant } = source;
  let isHandled = false;
  // `update` locks the recipient's record while the offer is read (D-135).
  await inbox.lastResponses.update({ tenant, offerId, workerId }, context, async (lastResponse) => {
    const recipients = await readRecipients(source, offerId, context.signal);
    const recipient = recipients?.find((candidate) => candidate.workerId === workerId);
    const response = recipient && convertResponse(source, recipient.response);
    if (response === undefined || response === lastResponse) return undefined;
    const handle = findHandler(source, "WorkerOfferResponse");
    await handle?.({ type: "WorkerOfferResponse", data: { offerId, workerId, response } }, context);
    isHandled = true;
    return response;
  });
  return isHandled;
}

/** Reads an offer's recipients. @returns undefined for an offer that does not exist */
async function readRecipients({ getOffer }: ResponseSource, id: string, signal: AbortSignal | undefined) {
  try {
    return (await getOffer(id, signal ? { signal } : {}))?.recipients;
  } catch (error) {
    const { code, status } = Object(error);
    if (code === "not_found" || status === 404) return undefined;
    throw error;
  }
}

/** Converts a recipient's response to the one that a webhook would contain. @returns undefined for a response to ignore */
function convertResponse(source: ResponseSource, response: string): string | undefined {
  const { toResponse = defaultToResponse } = source;
  return toResponse(response);
}

function defaultToResponse(response: string): string | undefined {
  if (response === "applied") return "accepted";
  return response === "rejected" ? response : undefined;
}

const sourceOptionNames = ["getOffer", "inbox", "onWorkerOfferResponse", "onEvent", "toResponse", "tenant"] as const;
const reconcileOptionNames = [
  "offerIds",
  "concurrency",
  "requestsPerSecond",
  "signal",
  "onProgress",
  "onFailure",
] as const;

/** @throws {ConfigurationError} `invalid_option` */
function checkSource(owner: string, source: ResponseSource, names: readonly string[]): void {
  rejectUnknownOptions(owner, source, names);
  requireHandler(owner, source, ["onWorkerOfferResponse", "onEvent"]);
  const { getOffer, inbox } = source;
  requireOption(owner, "getOffer", typeof getOffer === "function", "a function");
  requireOption(
    owner,
    "inbox",
    typeof inbox?.lastResponses?.find === "function",
    "an inbox, such as postgresInbox(pool)",
  );
  requireFunctions(owner, source, ["toResponse"]);
}

/** Whether a value is an iterable. A string is not: its letters are not ids. */
const isIterableObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);

function checkNumber(
  name: string,
  value: number,
  min: number,
  max: number,
  { isInteger = false }: { readonly isInteger?: boolean } = {},
): void {
  const isValid = isInteger ? Number.isInteger(value) : Number.isFinite(value);
  const expected = isInteger ? "an integer" : "a number";
  if (!isValid || value < min || value > max)
    throw new ConfigurationError("invalid_option", `${name} must be ${expected} from ${min} to ${max}.`);
}
