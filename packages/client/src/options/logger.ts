/**
 * Where one line per attempt goes: `debug` when it succeeded, `warn` when it failed. A pino logger, or `console`. The
 * fields are `operation`, `attempt` (from 1), `durationMs`, `status`, and of a failure `code` and `retryDelayMs`
 * (undefined when it is the last); never an id, a key or a body (D-49). What a logger throws, or rejects with, is
 * ignored: a line that cannot be written must not make an offer look as if it were not created.
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
