import { sql } from "kysely";
import { withTimeout } from "../dispatch/outbox/timers.ts";
import type { Store } from "../store/store.ts";

const limitMs = 2_000;

/** Whether the database responds within two seconds. */
export function pingDatabase({ db }: Pick<Store, "db">): Promise<boolean> {
  return withTimeout(sql`select 1`.execute(db), limitMs).then(
    () => true,
    () => false,
  );
}
