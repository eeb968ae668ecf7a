import { sql } from "kysely";
import type { Trx } from "../store/store.ts";

/**
 * For the rest of the transaction: no nested loops. A sweep compares all waiting rows with all jobs, and a planner
 * without statistics (PGlite gathers none by itself, PostgreSQL not at once) takes both for few: 10,000 took 16 s.
 */
export async function preferHashJoin(trx: Trx): Promise<void> {
  await sql`set local enable_nestloop = off`.execute(trx);
}
