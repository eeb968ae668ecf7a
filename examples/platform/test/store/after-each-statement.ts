import type { Trx } from "../../src/store/store.ts";

/** The same transaction; `act` is over before the result of any statement of it is seen. */
export const afterEachStatement = (trx: Trx, act: () => Promise<unknown>): Trx =>
  trx.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await act();
      return result;
    },
  }) as Trx;
