import { apiVersion, apiKeyHeader as defaultApiKeyHeader } from "@offers/contract/decisions";
import { isControlFlow } from "@offers/contract/foreign-objects";
import { findBaseUrlProblem, findHeaderValueProblem } from "@offers/contract/request-values";
import { hashMessageId } from "../deduplication/dedupe-keys.ts";
import { parseWebhookEvent } from "../endpoints/parse-webhook-event.ts";
import { ConfigurationError, UnavailableError } from "../errors/errors.ts";
import { rejectUnknownOptions } from "../errors/option-names.ts";
import { feedTimeoutMs } from "../generated/decisions.ts";
import { sha256 } from "../signature/sha256.ts";
import {
  createEventContext,
  type EventHandlers,
  findHandler,
  requireFunctions,
  requireHandler,
} from "./event-handlers.ts";

/**
 * The feed to read, where to start, and the handlers for its events.
 *
 * @example
 * ```ts
 * import type { CatchUpOptions } from "@offers/webhook-kit/catch-up";
 *
 * export const options: CatchUpOptions = {
 *   baseUrl: "https://service.example",
 *   apiKey: process.env.OFFERS_API_KEY ?? "",
 *   onEvent: (event, { deduplicationKey }) => console.log(event.type, deduplicationKey),
 * };
 * ```
 */
export interface CatchUpOptions extends EventHandlers {
  /** The platform's base URL, as for `@offers/client`. It must use https, or http on loopback. */
  readonly baseUrl: string | URL;
  /** The organisation's API key. It is sent only to `baseUrl`. */
  readonly apiKey: string;
  /** The header that contains the key. @default "X-UE-Api-Subscription-Key" */
  readonly apiKeyHeader?: string | undefined;
  /** The cursor after the last page that you handled. @default the start of the feed */
  readonly after?: string | undefined;
  /** How many events to read per request, from 1 to 1,000. @default 100 */
  readonly limit?: number | undefined;
  /**
   * The secret that signs this organisation's webhooks. Needed if your receiver's `secret` is a function, because each tenant then has its
   * own secret. With it, an event has the same `deduplicationKey` as its webhook.
   */
  readonly tenantSecret?: string | undefined;
  /** When it aborts, `catchUp` stops reading and rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called after a page's events have been handled. Store `cursor`, and pass it as `after` next time. */
  readonly onPage?:
    | ((page: {
        /** The cursor after the page's last event. */
        readonly cursor: string;
        /** How many events the page contained. */
        readonly events: number;
      }) => unknown)
    | undefined;
  /** Sends the requests. @default the runtime's fetch */
  readonly fetch?: typeof fetch | undefined;
}

/**
 * The result of `catchUp`.
 *
 * @example
 * ```ts
 * import type { CatchUpSummary } from "@offers/webhook-kit/catch-up";
 *
 * export const line = ({ read, skipped }: CatchUpSummary): string => `events read: ${read}, without a handler: ${skipped}`;
 * ```
 */
export interface CatchUpSummary {
  /** The cursor after the last page. Pass it as `after` next time. */
  readonly cursor: string | undefined;
  /** How many events were read. */
  readonly read: number;
  /** How many events were skipped. They had no handler, or a type that this version does not recognise. */
  readonly skipped: number;
}

/**
 * Reads the reference platform's event feed to its end, and calls your receiver's handlers for one event after another, in the order in
 * which the events were recorded. For the live service, which documents no feed, use `reconcile`.
 *
 * A handler that calls `inbox.once` handles each event once, whether the event arrives as a webhook or in the feed. With Standard Webhooks,
 * both have the same `deduplicationKey`. The timestamp digest does not sign an id, so a webhook cannot be matched with its event in the
 * feed. With that scheme, use webhooks only as a signal to call `catchUp`.
 *
 * @throws {ConfigurationError} (rejects) `invalid_option`
 * @throws {UnavailableError} (rejects) `feed_failed`: the feed did not respond with a page
 * @throws {InvalidEventError} (rejects) `invalid_event`: an event has a known type but invalid data
 * @throws (rejects) the signal's reason, or the error that a handler or `onPage` threw. Call `catchUp` again with the last page's cursor:
 * events that were already handled count as duplicates
 *
 * @example
 * ```ts
 * import { catchUp } from "@offers/webhook-kit/catch-up";
 * import { postgresInbox } from "@offers/webhook-kit/postgres";
 * import { Pool } from "pg";
 *
 * const pool = new Pool({ connectionString: "postgres://127.0.0.1:5432/planning" });
 * pool.on("error", ({ message }) => console.error(message)); // without it, a lost idle connection crashes the process
 * const inbox = postgresInbox(pool);
 *
 * await catchUp({
 *   baseUrl: "https://service.example",
 *   apiKey: process.env.OFFERS_API_KEY ?? "",
 *   after: (await pool.query("SELECT cursor FROM feed")).rows[0]?.cursor,
 *   onPage: ({ cursor }) => pool.query("UPDATE feed SET cursor = $1", [cursor]),
 *   async onEvent(event, context) {
 *     await inbox.once(context, (tx) => tx.query("INSERT INTO tasks (event) VALUES ($1)", [JSON.stringify(event)]));
 *   },
 * });
 * ```
 */
export async function catchUp(options: CatchUpOptions): Promise<CatchUpSummary> {
  rejectUnknownOptions("catchUp", options, optionNames);
  requireHandler("catchUp", options, ["onWorkerOfferResponse", "onWorkerAddedContact", "onEvent"]);
  requireFunctions("catchUp", options, ["onPage", "fetch"]);
  const { tenantSecret, signal, onPage } = options;
  const readPage = createPageReader(options);
  const tenantHash = tenantSecret === undefined ? "" : sha256(tenantSecret);
  let cursor = options.after;
  let read = 0;
  let skipped = 0;
  for (;;) {
    const page = await readPage(cursor);
    for (const { id, type, data, createdAt } of page.events) {
      signal?.throwIfAborted();
      read += 1;
      const handle = knownTypes.has(type) ? findHandler(options, type) : undefined;
      if (!handle) {
        skipped += 1;
        continue;
      }
      const event = parseWebhookEvent({ type, data, receivedAt: createdAt });
      const deduplicationKey = hashMessageId(tenantHash, "standard-webhooks", id);
      await handle(event, createEventContext("feed", signal, { deduplicationKey, receivedAt: new Date(createdAt) }));
    }
    cursor = page.cursor;
    await onPage?.({ cursor, events: page.events.length });
    if (!page.more) return { cursor, read, skipped };
  }
}

/** The types of events that the reference platform records. */
const knownTypes: ReadonlySet<string> = new Set(["WorkerOfferResponse", "WorkerAddedContact"]);

interface FeedPage {
  readonly events: readonly {
    readonly id: string;
    readonly type: string;
    readonly data: unknown;
    readonly createdAt: string;
  }[];
  readonly cursor: string;
  readonly more: boolean;
}

const defaultLimit = 100;

/** @throws {ConfigurationError} `invalid_option` */
function checkFeedOptions({ baseUrl, apiKey, limit = defaultLimit }: CatchUpOptions): void {
  if (findBaseUrlProblem(String(baseUrl)))
    throw new ConfigurationError(
      "invalid_option",
      "baseUrl must be an https URL, or an http URL on loopback, without credentials, a query or a fragment.",
    );
  if (findHeaderValueProblem(apiKey))
    throw new ConfigurationError(
      "invalid_option",
      "apiKey must be non-empty printable ASCII without white space around it.",
    );
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000)
    throw new ConfigurationError("invalid_option", "limit must be an integer from 1 to 1,000.");
}

/**
 * Creates a function that reads the page of the feed after a cursor.
 *
 * @throws {ConfigurationError} `invalid_option`; the function rejects with {@link UnavailableError}
 */
function createPageReader(options: CatchUpOptions): (after: string | undefined) => Promise<FeedPage> {
  checkFeedOptions(options);
  const {
    apiKey,
    apiKeyHeader = defaultApiKeyHeader,
    limit = defaultLimit,
    signal,
    fetch = globalThis.fetch,
  } = options;
  const base = String(options.baseUrl);
  return async (after) => {
    const query = new URLSearchParams({
      ...(after !== undefined && { after }),
      limit: `${limit}`,
      "api-version": apiVersion,
    });
    try {
      return await withFeedTimeout(signal, async (requestSignal) => {
        const response = await fetch(`${base.replace(/\/+$/, "")}/events?${query}`, {
          headers: { accept: "application/json", [apiKeyHeader]: apiKey },
          // A redirect could send the API key to another host.
          redirect: "manual",
          signal: requestSignal,
        });
        const body = await response.text();
        if (response.status !== 200) throw new Error(`the response is ${response.status}${formatCodeSuffix(body)}`);
        return readFeedPage(JSON.parse(body));
      });
    } catch (cause) {
      // After an abort, reject with the reason for it instead of `feed_failed`.
      signal?.throwIfAborted();
      if (isControlFlow(cause)) throw cause;
      const position = after === undefined ? "from its start" : "after the cursor";
      throw new UnavailableError(
        "feed_failed",
        `${new URL(base).host} did not return a page of the event feed ${position}. Check baseUrl, apiKey and after; see this error's cause.`,
        { cause },
      );
    }
  };
}

/** Calls `work` with a signal that aborts when the user's signal aborts or the feed takes too long. */
async function withFeedTimeout<T>(
  userSignal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  // AbortSignal.any would leave a reference on a long-lived signal for each request.
  const controller = new AbortController();
  const abort = () => controller.abort(userSignal?.reason);
  const timer = setTimeout(() => controller.abort(new DOMException(timeoutMessage, "TimeoutError")), feedTimeoutMs);
  userSignal?.addEventListener("abort", abort, { once: true });
  // A signal that has already aborted emits no event.
  if (userSignal?.aborted) abort();
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    userSignal?.removeEventListener("abort", abort);
  }
}

const timeoutMessage = `the event feed did not respond within ${feedTimeoutMs} ms`;

/**
 * Formats the code in a problem response as ` (code)`; returns an empty string if there is no code. Only the code is shown, because the
 * rest of the body may contain anything.
 */
function formatCodeSuffix(body: string): string {
  try {
    const { code } = JSON.parse(body);
    return typeof code === "string" && /^\w{1,80}$/.test(code) ? ` (${code})` : "";
  } catch {
    return "";
  }
}

function readFeedPage(body: unknown): FeedPage {
  const { events, cursor, more } = Object(body);
  if (!Array.isArray(events) || typeof cursor !== "string" || !events.every(isFeedEvent))
    throw new Error("the response is not a page of events");
  return { events, cursor, more: more === true };
}

const isFeedEvent = (event: unknown): boolean =>
  [Object(event).id, Object(event).type, Object(event).createdAt].every((value) => typeof value === "string");

const optionNames = [
  "baseUrl",
  "apiKey",
  "apiKeyHeader",
  "after",
  "limit",
  "tenantSecret",
  "signal",
  "onPage",
  "fetch",
  "onWorkerOfferResponse",
  "onWorkerAddedContact",
  "onEvent",
] as const;
