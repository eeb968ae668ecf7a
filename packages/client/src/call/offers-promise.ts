import type { RateLimit } from "@offers/contract/rate-limit";
import type { AnyOffersError } from "../errors/error-classes.ts";
import type { FetchResponse } from "../http.ts";

/**
 * The data of a response, and the response itself. Its body has been read.
 *
 * @example
 * ```ts
 * import type { Offer, WithResponse } from "@offers/client";
 *
 * export const summary = ({ data, response, attempts, rateLimit }: WithResponse<Offer>): string =>
 *   `${data.title}: ${response.status}, attempt ${attempts}, ${rateLimit?.remaining ?? "?"} requests left`;
 * ```
 */
export interface WithResponse<Data> {
  data: Data;
  response: FetchResponse;
  /** How many requests were sent. */
  attempts: number;
  /** How many requests are left, from `RateLimit` and `RateLimit-Policy`; undefined if the response does not say. */
  rateLimit: RateLimit | undefined;
}

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
export type SafeResult<Data, Failure extends AnyOffersError = AnyOffersError> =
  | ({ ok: true } & WithResponse<Data>)
  | { ok: false; error: Failure };

/**
 * The promise of a call's data. The request starts immediately and is made once, however many of these methods you use. A failure
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
export interface OffersPromise<Data, Failure extends AnyOffersError = AnyOffersError> extends Promise<Data> {
  /** Resolves with the data and the response. Rejects as the call does. */
  withResponse(): Promise<WithResponse<Data>>;
  /** Resolves with the data, or with an error that the operation can have. Never rejects. */
  safe(): Promise<SafeResult<Data, Failure>>;
}

/** @param data rejects with a `Failure` only */
export const toOffersPromise = <Data, Failure extends AnyOffersError>(
  data: Promise<Data>,
  toResult: (data: Data) => WithResponse<Data>,
): OffersPromise<Data, Failure> =>
  // Both methods chain on the same promise, so that a failure is handled exactly where one of them is used.
  Object.assign(data, {
    withResponse: () => data.then(toResult),
    safe: () =>
      data.then(
        (value) => ({ ok: true as const, ...toResult(value) }),
        (error: Failure) => ({ ok: false as const, error }),
      ),
  });
