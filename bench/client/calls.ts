import { type Comparison, compare } from "../comparison.ts";
import { runRounds } from "../rounds.ts";
import type { SuiteOptions } from "../suite.ts";
import type { Calls, Contender } from "./contender.ts";
import { pathPrefix } from "./path-prefix.ts";
import { serveOffers } from "./serve-offers.ts";
import { stubFetch } from "./stub-fetch.ts";

interface Running {
  readonly label: string;
  readonly calls: Calls;
}

/** Wall time of one call after another, against a fetch that answers at once and against a server on loopback. */
export async function measureCalls(contenders: readonly Contender[], { quick }: SuiteOptions): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  const measure = async (
    chosen: readonly Contender[],
    where: string,
    baseUrl: string,
    rounds: number,
    count: number,
  ) => {
    const running = chosen.map(({ label, open }): Running => ({ label, calls: open(baseUrl) }));
    for (const [what, operation] of [
      ["GET", "read"],
      ["POST", "create"],
    ] as const) {
      const slice = (one: Running) => timeOf(one, operation, count);
      // Until the compiler has seen everything.
      await runRounds(running, 3, slice);
      const title = `${what} ${where}`;
      comparisons.push(
        compare({ title, unit: "µs per call", better: "lower" }, await runRounds(running, rounds, slice)),
      );
    }
  };

  const unstub = stubFetch();
  try {
    const stubbed = contenders.filter(({ usesFetch }) => usesFetch);
    await measure(stubbed, "on a stub", `https://service.example${pathPrefix}`, quick ? 3 : 31, quick ? 500 : 3_000);
  } finally {
    unstub();
  }
  const server = await serveOffers();
  try {
    await measure(contenders, "on a loopback server", server.baseUrl, quick ? 3 : 21, quick ? 100 : 500);
  } finally {
    await server.close();
  }
  return comparisons;
}

async function timeOf({ label, calls }: Running, operation: keyof Calls, count: number): Promise<number> {
  const startedAt = performance.now();
  for (let call = 0; call < count; call += 1) {
    const { id } = await calls[operation]();
    if (id !== "offer_4f1c2a") throw new Error(`${label} got no offer.`);
  }
  return ((performance.now() - startedAt) / count) * 1_000;
}
