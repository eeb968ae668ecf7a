/** A frame of a stack: a place in a file. */
const frame = /^\s+at .*:\d+:\d+\)?$/;

/**
 * What a log may say of an error: its kind and where it came from. Not its message or other properties: those of a
 * database repeat the values of rows.
 */
export function errorFields(error: unknown, maxCauses = 5): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  // The stack begins with the message, which may have lines that look like frames.
  const frames = (error.stack ?? "")
    .replace(error.message, () => "")
    .split("\n")
    .filter((line) => frame.test(line));
  const cause = error.cause === undefined || maxCauses === 0 ? undefined : errorFields(error.cause, maxCauses - 1);
  return { error: error.name, code, at: frames.map((line) => line.trim()), cause };
}
