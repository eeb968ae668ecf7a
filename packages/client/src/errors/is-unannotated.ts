import { type AnyOffersError, isOffersError } from "./any-offers-error.ts";
import { unannotated } from "./unannotated.ts";

/** Whether this package made the error for a call that has not added its details yet. */
export const isUnannotated = (thrown: unknown): thrown is AnyOffersError =>
  isOffersError(thrown) && unannotated in thrown;
