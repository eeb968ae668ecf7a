/** Where a value lies, with a confidence of 95 %. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * The confidence interval of a median, for any distribution: between two of the values, chosen so that at most 2.5 % lie outside on each
 * side (the inverted sign test).
 *
 * @returns undefined for fewer than six values: even the lowest and the highest enclose the median in less than 95 % of cases
 */
export function medianInterval(values: readonly number[]): Interval | undefined {
  const rank = lowerRank(values.length);
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[rank - 1], sorted[values.length - rank]];
  return rank === 0 || low === undefined || high === undefined ? undefined : { low, high };
}

/** The greatest rank below which at most 2.5 % of the binomial distribution lie; 0 if no rank qualifies. */
function lowerRank(count: number): number {
  // Of all 2^count outcomes, those with `rank` successes.
  let probability = 0.5 ** count;
  let below = probability;
  let rank = 0;
  while (below <= 0.025) {
    rank += 1;
    probability *= (count - rank + 1) / rank;
    below += probability;
  }
  return rank;
}
