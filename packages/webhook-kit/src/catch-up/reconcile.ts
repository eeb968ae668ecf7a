import { setTimeout as sleep } from "node:timers/promises";
import type { WorkerOfferResponse } from "../endpoints/events.ts";
import type { EventContext } from "../endpoints/handlers.ts";
import { ConfigurationError } from "../errors/errors.ts";
import { refuseUnknownOptions } from "../errors/option-names.ts";
import { reconcileConcurrency } from "../generated/decisions.ts";
import type { Inbox } from "../inbox/inbox.ts";
import { type EventHandlers, findHandler, lateContext, requireHandler } from "./event-handlers.ts";

/**
 * Where the current responses of workers are read, and what handles those that have changed. Give the same one to `reconcile` and to
 * `whenResponseChanged`.
 *
 * @example
 * ```ts
 * import { OffersClient } from "@offers/client";
 * import type { ResponseSource } from "@offers/webhook-kit/catch-up";
 * import { postgresInbox } from "@offers/webhook-kit/postgres";
 * import { Pool } from "pg";
 *
 * const pool = new Pool({ connectionString: "postgres://127.0.0.1:5432/planning" });
 * pool.on("error", ({ message }) => console.error(message)); // without it, a lost idle connection ends the process
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
   * Reads an offer, as `getOffer` of `@offers/client` does. An offer that does not exist is undefined, or an error with the code
   * `not_found` or the status 404.
   */
  getOffer(
    id: string,
    options: { readonly signal?: AbortSignal },
  ): Promise<{ readonly recipients: readonly { readonly workerId: string; readonly response: string }[] } | undefined>;
  /** The inbox of your handler: its register knows which response was handled last. */
  readonly inbox: Pick<Inbox<never>, "responses">;
  /**
   * What the webhook says for a recipient's response; undefined for one that is not to be handled.
   * @default "applied" is "accepted", "rejected" is itself (D-135)
   */
  readonly toResponse?: ((response: string) => string | undefined) | undefined;
  /** The name of the organisation, if your receiver has several: their ids of offers may be the same. @default "" */
  readonly tenant?: string | undefined;
}

/**
 * Which offers are read, and how fast.
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
  /** The ids of the offers that are still open. They are taken one after the other, as they are needed. */
  readonly offerIds: Iterable<string> | AsyncIterable<string>;
  /** How many offers are read at once; each may hold one connection of the inbox's database. @default 4 */
  readonly concurrency?: number | undefined;
  /** The most calls of `getOffer` in a second, evenly spaced. @default no limit */
  readonly requestsPerSecond?: number | undefined;
  /** Takes no more offers once aborted, waits for those that are being read, and rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called after each offer. With a `concurrency` above 1, offers before this one may still be under way: to resume after a crash, go
   * back by as many. To read an offer twice does no harm.
   */
  readonly onProgress?:
    | ((progress: { readonly offerId: string; readonly summary: ReconcileSummary }) => unknown)
    | undefined;
  /** Called for an offer that could not be read or handled; the others go on. @default the first failure ends all, and rejects */
  readonly onFailure?: ((failure: { readonly offerId: string; readonly error: unknown }) => unknown) | undefined;
}

/**
 * What `reconcile` has found so far. GetOffer shows current responses only: a contact that was added is in none of these numbers, nor
 * is a response that changed twice between two reads.
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
  /** Offers that do not exist any more, or that the organisation may not see. */
  readonly gone: number;
  /** Offers that could not be read or handled: `onFailure` had them. */
  readonly failed: number;
  /** Responses whose handler had run before. */
  readonly known: number;
  /** Responses whose handler ran now. */
  readonly caughtUp: number;
  /** Recipients who have not responded. */
  readonly waiting: number;
  /** Recipients whose response is a word that `toResponse` does not know. */
  readonly unknown: number;
  /** Calls of `getOffer`. */
  readonly requests: number;
}

/**
 * Handles the responses that no webhook brought, for example because your receiver was down for longer than the service retries. It
 * reads each offer, and where a worker's response differs from the one that was handled last it runs the same handler, in the
 * transaction of the inbox. It handles states, not messages (D-135): a worker who applied, rejected and applied again between two reads
 * is owed nothing.
 *
 * Use {@link whenResponseChanged} for the webhooks of the same responses. Run `reconcile` at the start of a receiver, and from a job. The
 * first run handles the current response of every recipient, since the register is empty.
 *
 * @throws {ConfigurationError} (rejects) `invalid_option`
 * @throws (rejects) the first failure without `onFailure`: what `getOffer`, the handler or the database threw; the reason of `signal`
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
  refuseUnknownOptions("reconcile", options, [...sourceNames, ...ownNames]);
  requireHandler("reconcile", options, ["onWorkerOfferResponse", "onEvent"]);
  const { offerIds, concurrency = reconcileConcurrency, requestsPerSecond, signal, onProgress, onFailure } = options;
  checkNumber("concurrency", concurrency, 1, 1_000, Number.isInteger);
  checkNumber("requestsPerSecond", requestsPerSecond ?? 1, 0.001, 100_000, Number.isFinite);
  const summary = { read: 0, gone: 0, failed: 0, known: 0, caughtUp: 0, waiting: 0, unknown: 0, requests: 0 };
  const pace = new Pace(requestsPerSecond === undefined ? 0 : 1_000 / requestsPerSecond);
  const source: ResponseSource = {
    ...options,
    async getOffer(id, given) {
      await pace.wait(signal);
      summary.requests += 1;
      return options.getOffer(id, given);
    },
  };
  await forEach(offerIds, concurrency, signal, async (offerId) => {
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
  const last = await source.inbox.responses.find(recipients.map(({ workerId }) => ({ tenant, offerId, workerId })));
  for (const [index, { workerId, response }] of recipients.entries()) {
    const current = toResponse(source, response);
    if (current === undefined) summary[response === "none" ? "waiting" : "unknown"] += 1;
    else if (current === last[index]) summary.known += 1;
    else {
      const context = lateContext("reconciled", signal);
      summary[(await handleCurrent(source, offerId, workerId, context)) ? "caughtUp" : "known"] += 1;
    }
  }
}

/**
 * A handler for your receiver, beside {@link reconcile}: a webhook about a response is a hint to read the offer. The handler of `source`
 * gets the worker's current response, if that was not handled yet. So a webhook that is retried late overwrites nothing newer, and one
 * that `reconcile` has overtaken is a duplicate.
 *
 * @throws {ConfigurationError} `invalid_option`
 *
 * @example
 * ```ts
 * import { type ResponseSource, whenResponseChanged } from "@offers/webhook-kit/catch-up";
 * import { webhookRouter } from "@offers/webhook-kit/express";
 *
 * declare const source: ResponseSource;
 *
 * webhookRouter({ secret: process.env.WEBHOOK_SECRET ?? "", onWorkerOfferResponse: whenResponseChanged(source) });
 * ```
 */
export function whenResponseChanged(
  source: ResponseSource,
): (event: WorkerOfferResponse, context: EventContext) => Promise<void> {
  refuseUnknownOptions("whenResponseChanged", source, sourceNames);
  requireHandler("whenResponseChanged", source, ["onWorkerOfferResponse", "onEvent"]);
  return async ({ offerId, workerId }, context) => {
    await handleCurrent(source, offerId, workerId, context);
  };
}

/**
 * Reads the offer while the register's entry is locked: between two reads that are not, another process could handle a newer response,
 * and the older one would be handled after it.
 *
 * @returns whether the response was another one, and has been handled
 */
async function handleCurrent(
  source: ResponseSource,
  offerId: string,
  workerId: string,
  context: EventContext,
): Promise<boolean> {
  const { inbox, tenant } = source;
  let isHandled = false;
  await inbox.responses.update({ tenant, offerId, workerId }, context, async (last) => {
    const recipients = await readRecipients(source, offerId, context.signal);
    const recipient = recipients?.find((each) => each.workerId === workerId);
    const response = recipient && toResponse(source, recipient.response);
    if (response === undefined || response === last) return undefined;
    const handle = findHandler(source, "WorkerOfferResponse");
    await handle?.({ type: "WorkerOfferResponse", data: { offerId, workerId, response } }, context);
    isHandled = true;
    return response;
  });
  return isHandled;
}

/** @returns undefined for an offer that is gone */
async function readRecipients({ getOffer }: ResponseSource, id: string, signal: AbortSignal | undefined) {
  try {
    return (await getOffer(id, signal ? { signal } : {}))?.recipients;
  } catch (error) {
    const { code, status } = Object(error);
    if (code === "not_found" || status === 404) return undefined;
    throw error;
  }
}

const toResponse = ({ toResponse: translate = byDefault }: ResponseSource, response: string): string | undefined =>
  translate(response);

const byDefault = (response: string): string | undefined =>
  response === "applied" ? "accepted" : response === "rejected" ? response : undefined;

/** At most `concurrency` at once. Ends with the first failure, once all that have begun are over. */
async function forEach<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  concurrency: number,
  signal: AbortSignal | undefined,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let failure: { readonly error: unknown } | undefined;
  let isDone = false;
  let turn: Promise<unknown> = Promise.resolve();
  // One after the other: an iterator of the user's need not allow two calls at once.
  const takeNext = (): Promise<IteratorResult<Item>> => {
    const next = turn.then(async () => {
      if (signal?.aborted) throw signal.reason;
      return isDone || failure ? { done: true as const, value: undefined } : iterator.next();
    });
    turn = next.catch(() => undefined);
    return next;
  };
  const takeAll = async () => {
    try {
      for (;;) {
        const { done, value } = await takeNext();
        if (done) return;
        await work(value);
      }
    } catch (error) {
      // A turn that was aborted rejects with an error of its own.
      failure ??= { error: signal?.aborted ? signal.reason : error };
    } finally {
      isDone = true;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, takeAll));
  if (!failure) return;
  // Closes a cursor or a file of the user's generator. What that throws would hide the failure.
  await Promise.resolve(iterator.return?.()).catch(() => undefined);
  throw failure.error;
}

/** Evenly spaced turns. A turn that is not taken is not made up for. */
class Pace {
  readonly #intervalMs: number;
  #nextAt = 0;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  async wait(signal: AbortSignal | undefined): Promise<void> {
    const now = performance.now();
    const at = Math.max(this.#nextAt, now);
    this.#nextAt = at + this.#intervalMs;
    if (at > now) await sleep(at - now, undefined, { ...(signal && { signal }) });
  }
}

const sourceNames = ["getOffer", "inbox", "onWorkerOfferResponse", "onEvent", "toResponse", "tenant"] as const;
const ownNames = ["offerIds", "concurrency", "requestsPerSecond", "signal", "onProgress", "onFailure"] as const;

function checkNumber(
  name: string,
  value: number,
  least: number,
  most: number,
  isRight: (value: unknown) => boolean,
): void {
  if (!isRight(value) || value < least || value > most)
    throw new ConfigurationError("invalid_option", `${name} must be a number from ${least} to ${most}.`);
}
