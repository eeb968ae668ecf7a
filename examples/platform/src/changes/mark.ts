/**
 * A moment of the store as text: a snapshot of PostgreSQL, such as `748:751:749`. What it had not seen is what changed
 * since, to the row, whatever order transactions commit in.
 *
 * @see https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-INFO-SNAPSHOT
 */
export type Mark = string;

/** Whether a text that came from outside is one; PostgreSQL throws at any other. */
export function isMark(text: string): text is Mark {
  const [, xmin = "", xmax = "", list = ""] = /^(\d{1,18}):(\d{1,18}):([\d,]{0,2000})$/.exec(text) ?? [];
  if (xmin === "") return false;
  const running = list === "" ? [] : list.split(",").map((xid) => (/^\d{1,18}$/.test(xid) ? BigInt(xid) : -1n));
  const inOrder = [BigInt(xmin) - 1n, ...running, BigInt(xmax)];
  return (
    BigInt(xmin) > 0n &&
    BigInt(xmin) <= BigInt(xmax) &&
    inOrder.every((xid, at) => at === 0 || xid > (inOrder[at - 1] ?? xid))
  );
}
