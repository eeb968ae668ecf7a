/** What a value is, for a message that must not repeat it. */
export function typeInWords(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  if (value instanceof Promise) return "a promise; await it";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
