import { sql } from "kysely";
import type { Store } from "../store/store.ts";
import { inTime } from "./in-time.ts";

const limitMs = 2_000;

/** Whether the store answers within two seconds. */
export function storeAnswers({ db }: Pick<Store, "db">): Promise<boolean> {
  return inTime(sql`select 1`.execute(db), limitMs).then(
    () => true,
    () => false,
  );
}
