import type { Answer } from "./answer.ts";
import type { AnyWebhookKitError } from "./errors.ts";
import type { Refusal } from "./refusal.ts";

/** What became of a request that nothing failed for: refused, or handled, now or before. */
export type Outcome = Refusal | { readonly answer: Answer; readonly duplicate: boolean };

/** Something failed on this side. */
export interface Failure {
  readonly answer: Answer;
  readonly error: AnyWebhookKitError;
}
