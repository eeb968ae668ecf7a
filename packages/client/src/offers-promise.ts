import type { AnyOffersError } from "./errors/any-offers-error.ts";
import type { FetchResponse } from "./fetch.ts";

/** The data of an answer, and the answer itself. Its body has been read. */
export interface WithResponse<Data> {
  data: Data;
  response: FetchResponse;
  /** How many requests were sent. */
  attempts: number;
}

/**
 * How a call ended, as a value: it narrows on `ok`, and its error on `code` or `status`.
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
 * A call under way: a promise of the data. The request starts at once, and once only, however you look at its end. A
 * failure that you look at in no way is an unhandled rejection, which ends a Node process: await the call, or ask for
 * `safe()`.
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
  /** The data together with the answer. Rejects as the call does. */
  withResponse(): Promise<WithResponse<Data>>;
  /** The end as a value. Never rejects. */
  safe(): Promise<SafeResult<Data>>;
}

/** @param exchange rejects with an AnyOffersError only */
export function toCall<Data>(exchange: Promise<WithResponse<Data>>): OffersPromise<Data> {
  let whole: WithResponse<Data>;
  const data = exchange.then((answer) => {
    whole = answer;
    return answer.data;
  });
  // Both look at the same promise, so that a failure counts as seen for those who ask for them, and for nobody else.
  // Not stored one by one: measured in V8, that makes a call a third dearer.
  return Object.assign(data, {
    withResponse: () => data.then(() => whole),
    safe: () =>
      data.then(
        () => ({ ok: true as const, ...whole }),
        (error: AnyOffersError) => ({ ok: false as const, error }),
      ),
  });
}
