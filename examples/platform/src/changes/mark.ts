/**
 * A moment of the store as text: a snapshot of PostgreSQL and when it was taken, such as `748:751:749@1763770000`. What it had
 * not seen is what changed since, to the row, whatever order transactions commit in.
 *
 * @see https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-INFO-SNAPSHOT
 */
export type Mark = string;

export interface MarkParts {
  snapshot: string;
  takenAtSeconds: number;
}

/** The parts of a text that came from outside; undefined when it is no mark: PostgreSQL would throw at any other snapshot. */
export function partsOfMark(text: string): MarkParts | undefined {
  const [, snapshot = "", xmin = "", xmax = "", list = "", seconds = ""] =
    /^((\d{1,18}):(\d{1,18}):((?:\d{1,18}(?:,\d{1,18})*)?))@(\d{1,12})$/.exec(text) ?? [];
  if (snapshot === "" || snapshot.length > 8_000) return undefined;
  const running = list === "" ? [] : list.split(",").map(BigInt);
  const bounds = [BigInt(xmin) - 1n, ...running, BigInt(xmax)];
  const isInOrder = bounds.every((xid, at) => at === 0 || xid > (bounds[at - 1] ?? xid));
  const isSnapshot = BigInt(xmin) > 0n && BigInt(xmin) <= BigInt(xmax) && isInOrder;
  return isSnapshot ? { snapshot, takenAtSeconds: Number(seconds) } : undefined;
}

export const isMark = (text: string): text is Mark => partsOfMark(text) !== undefined;
