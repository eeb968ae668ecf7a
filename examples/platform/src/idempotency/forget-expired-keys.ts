import type { Kysely } from "kysely";
import type { Tables } from "../store/tables.ts";
import { expiredSince } from "./idempotent.ts";

/** Frees the room of keys that have expired. They count as absent already (D-40). */
export const forgetExpiredKeys = (db: Kysely<Tables>, now: Date) =>
  db.deleteFrom("idempotency_keys").where("created_at", "<=", expiredSince(now)).execute();
