import pg from "pg";
import { SettingError } from "./setting-error.ts";

/**
 * Connects once to the database that the store is to be opened in: whatever keeps it from being used, the address, its
 * certificates, the server or the way there, is told by the name of the variable before anything else is under way.
 *
 * @param timeoutMs for the connection, as long as the store's own have
 * @throws {SettingError} which repeats nothing of the address, since it may hold a password
 */
export async function checkDatabase(databaseUrl: string, timeoutMs = 10_000): Promise<void> {
  try {
    // Made in here too: it reads the certificates that the address names.
    const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: timeoutMs });
    // Lost while it is closed: the store will see.
    client.on("error", () => undefined);
    await client.connect();
    await client.end();
  } catch (cause) {
    throw new SettingError(`the database at DATABASE_URL cannot be used (${reasonOf(cause)}); does it run?`, { cause });
  }
}

/** A code where there is one; of pg's own errors without, those that somebody can do something about. */
function reasonOf(error: unknown): string {
  const { code, message } = Object(error) as NodeJS.ErrnoException;
  if (typeof code === "string") return code;
  if (/does not support SSL/.test(message)) return "it takes no TLS, which sslmode in it asks for";
  if (/timeout/i.test(message)) return "it did not answer in time";
  if (/password must be a string/.test(message)) return "it asks for a password";
  return "the server answers as no PostgreSQL does";
}
