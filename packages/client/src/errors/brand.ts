/** Marks an error of this package, also of another installed copy. */
export const brand: unique symbol = Symbol.for("@offers/client/error");
