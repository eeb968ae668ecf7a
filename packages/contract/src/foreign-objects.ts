// An object of another realm is not an `instanceof` this realm's classes. Jest runs each test file in its own realm (jest #14947).

const hasTag = (value: unknown, tag: string): boolean => Object.prototype.toString.call(value) === `[object ${tag}]`;

/** Whether a value is a Date of any realm. */
export const isDate = (value: unknown): value is Date => hasTag(value, "Date");

/** Whether a value is a Uint8Array, such as a Buffer, of any realm. */
export const isBytes = (value: unknown): value is Uint8Array => hasTag(value, "Uint8Array");

/** Whether a value is an Error, or an instance of a subclass, of any realm. */
export const isError = (value: unknown): value is Error =>
  value instanceof Error || hasTag(value, "Error") || hasTag(value, "DOMException");

/**
 * Whether an error belongs to the framework. Next.js recognises its own errors by `digest`, such as the one that makes a page dynamic, and
 * each of them must reach it unchanged (next.js #46737).
 */
export const isControlFlow = (thrown: unknown): boolean => typeof Object(thrown).digest === "string";
