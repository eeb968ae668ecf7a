import { isControlFlow } from "@offers/contract/foreign-objects";
import type { RateLimit } from "@offers/contract/rate-limit";
import type { AnyOffersError } from "../errors/error-classes.ts";
import type { FetchResponse } from "../http.ts";

/**
 * The data of a response, along with the response itself. The response body has already been read.
 *
 * @example
 * ```ts
 * import type { Offer, WithResponse } from "@offers/client";
 *
 * export const summarise = ({ data, response, attempts, rateLimit }: WithResponse<Offer>): string =>
 *   `${data.title}: ${response.status}, attempt ${attempts}, ${rateLimit?.remaining ?? "?"} requests left`;
 * ```
 */
export interface WithResponse<Data> {
  /** The data that the call itself resolves with. */
  data: Data;
  /** The last response, with its status and headers. */
  response: FetchResponse;
  /** How many requests the call sent. */
  attempts: number;
  /** How many requests you have left, from `RateLimit` and `RateLimit-Policy`; undefined if the response does not report it. */
  rateLimit: RateLimit | undefined;
}

/**
 * The result value of `safe()`. Check `ok` to narrow the result, and `code` or `status` to narrow its error.
 *
 * @example
 * ```ts
 * import type { Offer, SafeResult } from "@offers/client";
 *
 * export const titleOf = (result: SafeResult<Offer>): string => (result.ok ? result.data.title : result.error.code);
 * ```
 */
export type SafeResult<Data, Failure extends AnyOffersError = AnyOffersError> =
  | ({
      /** True if the call succeeded. */
      ok: true;
    } & WithResponse<Data>)
  | {
      /** False if the call failed. */
      ok: false;
      /** Why the call failed. */
      error: Failure;
    };

/**
 * A promise for the data of a call. The call starts immediately and is made only once, however many of these methods you use. An unhandled
 * rejection crashes a Node process, so await the call or use `safe()`.
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
  /** Resolves with the data and the response. Rejects like the call itself. */
  withResponse(): Promise<WithResponse<Data>>;
  /** Resolves with the data, or with the error that the call would reject with. Rejects only with an error of Next.js itself. */
  safe(): Promise<SafeResult<Data, Failure>>;
}

/** Adds `withResponse` and `safe` to a promise. @param data rejects only with a `Failure` */
export const toOffersPromise = <Data, Failure extends AnyOffersError>(
  data: Promise<Data>,
  toResult: (data: Data) => WithResponse<Data>,
): OffersPromise<Data, Failure> =>
  // Both methods chain on the same promise, so using one of them counts as handling the rejection.
  Object.assign(data, {
    withResponse: () => data.then(toResult),
    safe: () =>
      data.then(
        (value) => ({ ok: true as const, ...toResult(value) }),
        (error: Failure) => {
          if (isControlFlow(error)) throw error;
          return { ok: false as const, error };
        },
      ),
  });
