/** Builds the order key for one worker's responses to one offer, which are delivered in order. */
export const responseKey = (offerId: string, workerId: string): string => `offer ${offerId}, ${workerId}`;

/** Builds the order key for one worker's contacts at one organisation. All events with this key are alike. */
export const contactKey = (organisationId: string, workerId: string): string => `${workerId} at ${organisationId}`;

/** A change that the platform must report to an organisation by webhook. */
export interface Change {
  /** The order key, from `responseKey` or `contactKey`. */
  key: string;
  /** The value that the organisation must receive, such as `accepted`. */
  value: string;
  isAcked: boolean;
  /** How many of its requests got no response, for instance because a process died. Each may have taken effect. */
  uncertainSends: number;
}

/** A request with a valid signature that the receiver accepted. */
export interface Receipt {
  /** Its position among all accepted requests, in the order of arrival. */
  ordinal: number;
  deliveryId: string;
  key: string;
  value: string;
  /** Whether the receiver responded with 200. */
  isAcknowledged: boolean;
}

export interface Verdict {
  acked: number;
  /** Acked changes that the receiver got. */
  delivered: number;
  lost: number;
  /** How many times a delivery was sent again after the receiver had responded with 200. */
  duplicated: number;
  /** Acked changes that were first received before an earlier one of their key, or again after a later one. */
  reordered: number;
  /** How many delivery ids there were in excess of the changes that happened or may have happened. */
  invented: number;
  /** The first faults, with the values that were acked and received. */
  examples: string[];
}

const maxExamples = 10;

/**
 * Compares the changes that the platform acknowledged with the requests that the receiver got.
 *
 * Changes with the same key and value look the same to the receiver, so they are only counted.
 */
export function verifyHistory(changes: readonly Change[], receipts: readonly Receipt[]): Verdict {
  const verdict: Verdict = {
    acked: 0,
    delivered: 0,
    lost: 0,
    duplicated: 0,
    reordered: 0,
    invented: 0,
    examples: [],
  };
  const changesByKey = groupByKey(changes);
  const receiptsByKey = groupByKey(receipts.toSorted((a, b) => a.ordinal - b.ordinal));
  for (const key of new Set([...changesByKey.keys(), ...receiptsByKey.keys()]))
    verifyKey(verdict, key, changesByKey.get(key) ?? [], receiptsByKey.get(key) ?? []);
  return verdict;
}

function groupByKey<T extends { key: string }>(items: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(item.key, [...(groups.get(item.key) ?? []), item]);
  return groups;
}

/** Adds the faults of one order key to the verdict. */
function verifyKey(verdict: Verdict, key: string, changes: readonly Change[], receipts: readonly Receipt[]): void {
  const ackedValues = changes.filter(({ isAcked }) => isAcked).map(({ value }) => value);
  const firstReceipts = receipts.filter(
    (receipt, index) => receipts.findIndex(({ deliveryId }) => deliveryId === receipt.deliveryId) === index,
  );
  const receivedValues = firstReceipts.map(({ value }) => value);
  const counts = { delivered: 0, lost: 0, duplicated: 0, reordered: 0, invented: 0 };
  for (const value of new Set([...ackedValues, ...receivedValues])) {
    const ackedCount = countValue(ackedValues, value);
    const receivedCount = countValue(receivedValues, value);
    let uncertainSends = 0;
    for (const change of changes) if (change.value === value) uncertainSends += change.uncertainSends;
    counts.delivered += Math.min(ackedCount, receivedCount);
    counts.lost += Math.max(0, ackedCount - receivedCount);
    counts.invented += Math.max(0, receivedCount - ackedCount - uncertainSends);
  }
  const inOrderCount = measureLongestCommonSubsequence(ackedValues, receivedValues);
  counts.reordered = counts.delivered - inOrderCount + countOutdatedRepeats(receipts);
  const acknowledgedIds = receipts.filter(({ isAcknowledged }) => isAcknowledged).map(({ deliveryId }) => deliveryId);
  counts.duplicated = acknowledgedIds.length - new Set(acknowledgedIds).size;

  verdict.acked += ackedValues.length;
  for (const name of ["delivered", "lost", "duplicated", "reordered", "invented"] as const)
    verdict[name] += counts[name];
  if (counts.lost + counts.reordered + counts.invented > 0 && verdict.examples.length < maxExamples)
    verdict.examples.push(
      `${key}: acked ${ackedValues.join(" ") || "nothing"}; received ${formatReceipts(receipts) || "nothing"}`,
    );
}

/** Counts deliveries that were repeated after a different response, so that the response received last is outdated. */
function countOutdatedRepeats(receipts: readonly Receipt[]): number {
  const isOutdatedRepeat = ({ deliveryId, value }: Receipt, index: number): boolean => {
    const earlierReceipts = receipts.slice(0, index);
    const previousIndex = earlierReceipts.findLastIndex((receipt) => receipt.deliveryId === deliveryId);
    return previousIndex >= 0 && earlierReceipts.slice(previousIndex).some((receipt) => receipt.value !== value);
  };
  return receipts.filter(isOutdatedRepeat).length;
}

const countValue = (values: readonly string[], value: string): number =>
  values.filter((candidate) => candidate === value).length;

const formatReceipts = (receipts: readonly Receipt[]): string =>
  receipts.map(({ value, deliveryId, ordinal }) => `${value} (${deliveryId.slice(-8)}, request ${ordinal})`).join(" ");

/** Measures the longest sequence that both lists contain in order, with dynamic programming. */
function measureLongestCommonSubsequence(a: readonly string[], b: readonly string[]): number {
  /** The element at index n is the length for the values of `a` so far and the first n values of `b`. */
  let lengths = new Array<number>(b.length + 1).fill(0);
  for (const aValue of a) {
    const nextLengths = [0];
    for (const [index, bValue] of b.entries()) {
      const longest = Math.max(lengths[index + 1] ?? 0, nextLengths[index] ?? 0);
      nextLengths.push(aValue === bValue ? (lengths[index] ?? 0) + 1 : longest);
    }
    lengths = nextLengths;
  }
  return lengths.at(-1) ?? 0;
}
