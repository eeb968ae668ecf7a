import { sql } from "kysely";
import { inTime } from "../in-time.ts";
import type { Store } from "../store/store.ts";

const limitMs = 2_000;

/** Whether the database responds within two seconds. */
export function pingDatabase({ db }: Pick<Store, "db">): Promise<boolean> {
  return inTime(sql`select 1`.execute(db), limitMs).then(
    () => true,
    () => false,
  );
}
