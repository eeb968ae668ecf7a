/** pino's number for an error. */
const errorLevel = 50;
const maxLines = 10;

/** Counts the errors that processes log, by error and origin. */
export class ErrorTally {
  readonly #counts = new Map<string, number>();

  /** Reads a line that a process logged. */
  readonly read = (line: string): void => {
    // Most lines are no errors; they are not even parsed.
    if (line.startsWith('{"level":') && !line.startsWith(`{"level":${errorLevel}`)) return;
    const what = describe(line);
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  };

  /** The most frequent first: `background.error error 57P03 at claim (queue/boss-queue.ts:30): 12 times`. */
  get lines(): string[] {
    const sorted = [...this.#counts].sort(([, a], [, b]) => b - a).map(([what, count]) => `${what}: ${count} times`);
    const others = sorted.length - maxLines;
    return others > 0 ? [...sorted.slice(0, maxLines), `errors of ${others} other kinds`] : sorted;
  }
}

/** Which error it was and where: `background.failed DatabaseError 57P01 at recordAttempts`. */
function describe(line: string): string {
  try {
    const { msg, error, code, at, cause } = JSON.parse(line);
    const ours = at
      ?.find((frame: string) => frame.includes("/platform/src/"))
      ?.replace(/ \(.*\/src\/(.*):\d+\)$/, " ($1)");
    return [msg, error, code, cause?.code, ours].filter(Boolean).join(" ");
  } catch {
    return line;
  }
}
