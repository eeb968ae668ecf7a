/**
 * Marks an error that a subpath of this package made for whichever call it comes out of. That call claims it; any other
 * error of ours that user code throws belongs to a call of its own (D-97).
 */
export const unclaimed: unique symbol = Symbol.for("@offers/client/unclaimed");
