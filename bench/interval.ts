/** A 95 % confidence interval. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * Computes the confidence interval of a median, for any distribution, by inverting the sign test. The bounds are two of the values, chosen
 * so that the median is beyond each of them with a probability of at most 2.5 %.
 *
 * @returns undefined for fewer than six values, because even the lowest and the highest value enclose the median in less than 95 % of cases
 */
export function medianInterval(values: readonly number[]): Interval | undefined {
  const rank = findLowerRank(values.length);
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[rank - 1], sorted[values.length - rank]];
  return rank === 0 || low === undefined || high === undefined ? undefined : { low, high };
}

/** Finds the greatest rank below which at most 2.5 % of the binomial distribution lies, or 0 if no rank qualifies. */
function findLowerRank(count: number): number {
  // The probability of exactly `rank` heads in `count` tosses of a fair coin.
  let probability = 0.5 ** count;
  let cumulative = probability;
  let rank = 0;
  while (cumulative <= 0.025) {
    rank += 1;
    probability *= (count - rank + 1) / rank;
    cumulative += probability;
  }
  return rank;
}
