import { ConfigurationError } from "../../errors.ts";
import type { Database } from "./database.ts";
import { type KyselyDatabase, kyselyDatabase } from "./kysely-database.ts";
import { type Pglite, pgliteDatabase } from "./pglite-database.ts";
import { type PgPool, poolDatabase } from "./pool-database.ts";

/** @inline */
export type PostgresHandle<Tx> = PgPool<Tx> | Pglite<Tx> | KyselyDatabase<Tx>;

/** @throws {ConfigurationError} `invalid_option` for anything but a pool, a PGlite or a Kysely that is no transaction */
export function openDatabase<Tx>(handle: PostgresHandle<Tx>): Database<Tx> {
  if (has(handle, ["executeQuery", "transaction"]) && !(handle as KyselyDatabase<Tx>).isTransaction)
    return kyselyDatabase(handle as KyselyDatabase<Tx>);
  if (has(handle, ["query", "exec", "transaction"])) return pgliteDatabase(handle as Pglite<Tx>);
  // A single Client has no `totalCount`: the transactions of concurrent events would mix on its one connection.
  if (has(handle, ["query", "connect"]) && "totalCount" in handle) return poolDatabase(handle as PgPool<Tx>);
  throw new ConfigurationError(
    "invalid_option",
    "postgresInbox takes a Pool of npm pg, a PGlite, or a Kysely outside of a transaction; not a Client, nor a transaction.",
  );
}

const has = (handle: unknown, methods: readonly string[]): boolean =>
  typeof handle === "object" &&
  handle !== null &&
  methods.every((name) => typeof Reflect.get(handle, name) === "function");
