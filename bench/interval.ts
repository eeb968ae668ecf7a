/** Where a value lies with a confidence of 95 %. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * The interval of a median, whatever the distribution: between two of the values themselves, as many from either end as leave
 * at most 2.5 % outside on each side (the sign test turned round).
 *
 * @returns undefined for fewer than six values: even the lowest and the highest hold their median in less than 95 % of cases
 */
export function medianInterval(values: readonly number[]): Interval | undefined {
  const rank = lowerRank(values.length);
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[rank - 1], sorted[values.length - rank]];
  return rank === 0 || low === undefined || high === undefined ? undefined : { low, high };
}

/** The greatest rank below which 2.5 % of the binomial distribution lie at most; 0 when there is none. */
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
