/** What marks an error as ours, whichever copy of this package made it. */
export const brand: unique symbol = Symbol.for("@offers/client/error");
