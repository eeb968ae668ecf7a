import type { Kysely, KyselyPlugin } from "kysely";
import type { Trx } from "./store.ts";
import { StoreError } from "./store-error.ts";
import type { Tables } from "./tables.ts";

/**
 * Runs `work` in a transaction that ends, one way or the other, when no statement of it returned for `limitMs`. A large
 * one may take longer on a slow machine; one that waits for something else than the database ends.
 */
export function inTransaction<T>(db: Kysely<Tables>, limitMs: number, work: (trx: Trx) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (trx) => {
    let timer: NodeJS.Timeout | undefined;
    let returned = (): void => undefined;
    let end: StoreError | undefined;
    // The rollback is under way by then: what `work` asks next would run after it, in no transaction, and stay.
    const onQuery = (): void => {
      if (end !== undefined) throw end;
    };
    const overdue = new Promise<never>((_, reject) => {
      const message =
        `no statement of a transaction began or returned for ${limitMs} ms: it is rolled back; inside one, use only ` +
        "trx: store.db waits for the very same connection on PGlite, and I/O keeps everyone else waiting";
      timer = setTimeout(() => {
        end = new StoreError("transaction_overdue", message);
        reject(end);
      }, limitMs);
      returned = () => void timer?.refresh();
    });
    try {
      return await Promise.race([work(trx.withPlugin(watching(onQuery, () => returned()))), overdue]);
    } finally {
      returned = () => undefined;
      clearTimeout(timer);
    }
  });
}

const watching = (onQuery: () => void, onReturn: () => void): KyselyPlugin => ({
  transformQuery({ node }) {
    onQuery();
    return node;
  },
  async transformResult({ result }) {
    onReturn();
    return result;
  },
});
