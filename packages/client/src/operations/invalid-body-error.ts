/** A successful response whose content is none that the operation has. The message is shown, so it holds no value. */
export class InvalidBodyError extends Error {}
