/**
 * Marks an error that this package made and to which no call has added its details yet. Errors without the mark belong to the
 * user's code or to another call: they are wrapped, never changed (D-97). The symbol is registered because
 * `@offers/client/schemas` is a bundle of its own.
 */
export const unannotated: unique symbol = Symbol.for("@offers/client/unannotated");
