import type { AnyWebhookKitError } from "../errors.ts";
import type { Answer } from "../http/response.ts";
import type { Rejection } from "../rejection.ts";

/** A request that is refused: what the sender is answered, and what only this side learns. */
export interface Refusal {
  readonly rejection: Rejection;
  readonly answer: Answer;
}

/** What became of a request that nothing failed for: refused, or handled, now or before. */
export type Outcome = Refusal | { readonly answer: Answer; readonly duplicate: boolean };

/** Something failed on this side. */
export interface Failure {
  readonly answer: Answer;
  readonly error: AnyWebhookKitError;
}
