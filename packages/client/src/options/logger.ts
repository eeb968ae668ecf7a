/**
 * Receives one line per attempt: `debug` for a success, `warn` for a failure. A pino logger, or `console`. The fields are
 * `operation`, `attempt` (from 1), `durationMs`, `status`, and for a failure `code` and `retryDelayMs` (undefined if there is
 * no retry); never an id, a key or a body (D-49). Errors of the logger are ignored: the offer has been created even if the
 * line could not be written.
 *
 * @example
 * ```ts
 * import { type Logger, OffersClient } from "@offers/client";
 *
 * const logger: Logger = {
 *   debug: () => {},
 *   warn: (fields, message) => console.warn(message, JSON.stringify(fields)),
 * };
 * export const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: "key", logger });
 * ```
 */
export interface Logger {
  /** An attempt that succeeded. */
  debug(fields: Readonly<Record<string, unknown>>, message: string): void;
  /** An attempt that failed. */
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}
