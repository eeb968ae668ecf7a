import type { Trx } from "../../src/store/store.ts";

/** Returns a transaction that calls and awaits `act` after each of its statements. */
export const callAfterEachStatement = (trx: Trx, act: () => Promise<unknown>): Trx =>
  trx.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await act();
      return result;
    },
  }) as Trx;
