/** The type of a value, for a message that must not show the value: `null`, `an array`, `a string`. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  const kind = Array.isArray(value) ? "array" : typeof value;
  return `${/^[aio]/.test(kind) ? "an" : "a"} ${kind}`;
}
