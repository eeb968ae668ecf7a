import type { OperationName } from "../contract/operation-name.ts";
import type { Signal } from "./globals.ts";

/**
 * One attempt, as middleware sees it. Its headers hold the API key: don't log them.
 *
 * @example
 * ```ts
 * import type { OffersRequest } from "@offers/client";
 *
 * export const label = ({ operation, attempt }: OffersRequest): string => `${operation} #${attempt}`;
 * ```
 */
export interface OffersRequest {
  readonly operation: OperationName;
  /** 1 for the first request of a call. */
  readonly attempt: number;
  readonly method: "GET" | "POST";
  readonly url: string;
  /** Names are in lower case. */
  readonly headers: Record<string, string>;
  /** JSON, or null where the operation has no body. */
  readonly body: string | null;
  /** The largest response body in bytes, decompressed, which the client and `undiciFetch` accept (D-98). */
  readonly maxResponseBytes: number;
  /** Aborted at the attempt's deadline and by the caller's signal. */
  readonly signal: Signal;
}
