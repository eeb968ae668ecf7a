/**
 * What the service says about an error: problem details (RFC 9457), with every extension member kept (D-19). A standard
 * member of another type than the RFC gives it is left out, as the RFC demands. Your API key is redacted.
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
  /** The status as the body has it; `error.status` is the one that was received. */
  status?: number;
  /** What went wrong this time. */
  detail?: string;
  /** A URI of this occurrence. */
  instance?: string;
  /** The service's own stable name of the kind, finer than `error.code`. */
  code?: string;
  /** From the name of a field (`events[0].end`) to what is wrong with it. */
  errors?: Record<string, string[]>;
  [extension: string]: unknown;
}
