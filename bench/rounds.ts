/** One measurement of one contender: a short slice of work. */
export type Slice<Contender> = (contender: Contender) => Promise<number>;

/**
 * Measures every contender once in each round, in an order that rotates: whatever slows the machine down for a while, or comes
 * after something else, meets them all.
 */
export async function runRounds<Contender extends { readonly label: string }>(
  contenders: readonly Contender[],
  rounds: number,
  measure: Slice<Contender>,
): Promise<Map<string, number[]>> {
  const samples = new Map<string, number[]>(contenders.map(({ label }) => [label, []]));
  for (let round = 0; round < rounds; round += 1) {
    const first = round % contenders.length;
    for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)])
      samples.get(contender.label)?.push(await measure(contender));
  }
  return samples;
}
