/**
 * The problem details of an error response (RFC 9457), with every extension member (D-19). A standard member whose type is
 * not the RFC's is left out, as RFC 9457, 3.1 demands. Your API key is redacted.
 *
 * @example
 * ```ts
 * import type { Problem } from "@offers/client";
 *
 * export const explain = ({ title, errors = {} }: Problem): string =>
 *   [title, ...Object.entries(errors).map(([field, messages]) => `${field}: ${messages.join(", ")}`)].join("\n");
 * ```
 */
export interface Problem {
  /** A URI that names the kind of problem. */
  type?: string;
  /** The kind of problem in a few words. */
  title?: string;
  /** The status in the body; `error.status` is the status of the response. */
  status?: number;
  /** What went wrong this time. */
  detail?: string;
  /** A URI of this occurrence. */
  instance?: string;
  /** The service's own stable code, more specific than `error.code`. */
  code?: string;
  /** Maps the name of a field (`events[0].end`) to its validation messages. */
  errors?: Record<string, string[]>;
  [extension: string]: unknown;
}
