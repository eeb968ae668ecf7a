import { type AnyOffersError, isOffersError } from "./any-offers-error.ts";
import { unclaimed } from "./unclaimed.ts";

/** Whether this package made the error for a call that has not added its details yet. */
export const isUnclaimed = (thrown: unknown): thrown is AnyOffersError => isOffersError(thrown) && unclaimed in thrown;
