/**
 * What a log may say of an error: its kind and where it came from. Not its message or other properties: those of a
 * database repeat the values of rows.
 */
export function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  const frames = error.stack?.split("\n").filter((line) => /^\s+at /.test(line)) ?? [];
  const cause = error.cause === undefined ? undefined : errorFields(error.cause);
  return { error: error.name, code, at: frames.map((line) => line.trim()), cause };
}
