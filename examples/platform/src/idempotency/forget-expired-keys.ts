import type { Kysely } from "kysely";
import type { Tables } from "../store/tables.ts";
import { expiredSince } from "./idempotent.ts";

/** Deletes expired keys. They already count as absent (D-40). */
export const deleteExpiredKeys = (db: Kysely<Tables>, now: Date) =>
  db.deleteFrom("idempotency_keys").where("created_at", "<=", expiredSince(now)).execute();
