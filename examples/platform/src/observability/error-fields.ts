/** A stack frame. */
const frame = /^\s+at .*:\d+:\d+\)?$/;

/**
 * The loggable fields of an error: name, code and stack frames. Messages and other properties are left out, since those of
 * database errors quote row values.
 */
export function errorFields(error: unknown, maxCauses = 5): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  // The stack begins with the message, whose lines may look like frames.
  const frames = (error.stack ?? "")
    .replace(error.message, () => "")
    .split("\n")
    .filter((line) => frame.test(line));
  const cause = error.cause === undefined || maxCauses === 0 ? undefined : errorFields(error.cause, maxCauses - 1);
  return { error: error.name, code, at: frames.map((line) => line.trim()), cause };
}
