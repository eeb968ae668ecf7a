/** A successful response whose body does not fit the operation. The message is shown, so it contains no value. */
export class InvalidBodyError extends Error {}
