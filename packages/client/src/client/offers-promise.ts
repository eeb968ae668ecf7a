import type { WithResponse } from "../call/with-response.ts";
import type { AnyOffersError } from "../errors/any-offers-error.ts";

/**
 * The result value of `safe()`, instead of an exception: it narrows on `ok`, and its error on `code` or `status`.
 *
 * @example
 * ```ts
 * import type { Offer, SafeResult } from "@offers/client";
 *
 * export const titleOf = (result: SafeResult<Offer>): string => (result.ok ? result.data.title : result.error.code);
 * ```
 */
export type SafeResult<Data> = ({ ok: true } & WithResponse<Data>) | { ok: false; error: AnyOffersError };

/**
 * The promise of a call's data. The request starts at once and is made once, however many of these methods you use. A failure
 * that no code handles is an unhandled rejection, which ends a Node process: await the call, or use `safe()`.
 *
 * @example
 * ```ts
 * import type { Offer, OffersPromise } from "@offers/client";
 *
 * export async function report(call: OffersPromise<Offer>): Promise<void> {
 *   const result = await call.safe();
 *   if (result.ok) console.log(result.response.status, result.data.title);
 *   else if (result.error.status === 404) console.log("no such offer", result.error.problem?.detail);
 * }
 * ```
 */
export interface OffersPromise<Data> extends Promise<Data> {
  /** Resolves with the data and the response. Rejects as the call does. */
  withResponse(): Promise<WithResponse<Data>>;
  /** Resolves with the data or the error. Never rejects. */
  safe(): Promise<SafeResult<Data>>;
}

/** @param exchange rejects with an AnyOffersError only */
export function toOffersPromise<Data>(exchange: Promise<WithResponse<Data>>): OffersPromise<Data> {
  let result: WithResponse<Data>;
  const data = exchange.then((received) => {
    result = received;
    return received.data;
  });
  // Both methods chain on the same promise, so that a failure is handled exactly where one of them is used.
  // One Object.assign: assigning each method by itself made a call a third slower in V8.
  return Object.assign(data, {
    withResponse: () => data.then(() => result),
    safe: () =>
      data.then(
        () => ({ ok: true as const, ...result }),
        (error: AnyOffersError) => ({ ok: false as const, error }),
      ),
  });
}
