/**
 * Gets one line per request, and one more when its deduplication record could not be kept: a pino logger, or `console`.
 * `fields` holds names, numbers and reasons; of a failure also the error, as `err`, whose `cause` is what your own code threw and
 * may hold whatever you put there (D-49).
 *
 * @example
 * ```ts
 * import type { Logger } from "@offers/webhook-kit";
 *
 * export const logger: Logger = {
 *   info: (fields, message) => console.info(message, JSON.stringify(fields)),
 *   warn: (fields, message) => console.warn(message, JSON.stringify(fields)),
 *   error: ({ err, ...fields }, message) => console.error(message, JSON.stringify(fields), err),
 * };
 * ```
 */
export interface Logger {
  /** A webhook was handled, or acknowledged as a duplicate. */
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  /** A request was rejected. */
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  /** Something failed on this side: `err` is the error, as pino names it. */
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}
