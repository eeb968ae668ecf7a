import type { Kysely } from "kysely";
import type { Trx } from "./store.ts";
import { StoreError } from "./store-error.ts";
import type { Tables } from "./tables.ts";

/** Runs `work` in a transaction that ends within `limitMs`, one way or the other. */
export function inTransaction<T>(db: Kysely<Tables>, limitMs: number, work: (trx: Trx) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (trx) => {
    let timer: NodeJS.Timeout | undefined;
    const overdue = new Promise<never>((_, reject) => {
      const message =
        `a transaction was open for ${limitMs} ms and is rolled back; inside one, use only trx: ` +
        "store.db waits for the very same connection on PGlite, and I/O keeps everyone else waiting";
      timer = setTimeout(() => reject(new StoreError("transaction_overdue", message)), limitMs);
    });
    try {
      return await Promise.race([work(trx), overdue]);
    } finally {
      clearTimeout(timer);
    }
  });
}
