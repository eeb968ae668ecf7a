import pg from "pg";
import { SettingError } from "./setting-error.ts";

/**
 * Connects once to the database that the store is to be opened in, before anything else is under way.
 *
 * @param timeoutMs for the connection
 * @throws {SettingError} with the likely mistake and the remedy. Of the address it shows role, host, port and database alone:
 *   the rest may hold a password
 */
export async function checkDatabase(databaseUrl: string, timeoutMs = 5_000): Promise<void> {
  try {
    // Made in here too: it reads the certificates that the address names.
    const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: timeoutMs });
    // Lost while it is closed: the store will see.
    client.on("error", () => undefined);
    await client.connect();
    await client.end();
  } catch (cause) {
    throw databaseError(cause, databaseUrl);
  }
}

/** What a database that cannot be used means to the person who starts the platform. */
export function databaseError(cause: unknown, databaseUrl: string): SettingError {
  const { code } = Object(cause) as NodeJS.ErrnoException;
  const place = placeOf(databaseUrl);
  const known = typeof code === "string" ? ` (${code})` : "";
  const message = `DATABASE_URL: the database ${place.whole} cannot be used${known}: ${reasonOf(cause, place)}`;
  return new SettingError(message, { cause });
}

interface Place {
  role: string;
  server: string;
  database: string;
  whole: string;
}

function placeOf(databaseUrl: string): Place {
  const { username = "", hostname = "", port = "", pathname = "", searchParams } = URL.parse(databaseUrl) ?? {};
  const role = decoded(username) || "(none named)";
  const server = `${hostname || searchParams?.get("host") || "localhost"}:${port || "5432"}`;
  const database = decoded(pathname.slice(1));
  return { role, server, database, whole: `${database} at ${server}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** By the system's codes and PostgreSQL's, https://www.postgresql.org/docs/current/errcodes-appendix.html */
function reasonOf(error: unknown, { role, server, database }: Place): string {
  const { code = "", message = "", path } = Object(error) as NodeJS.ErrnoException;
  if (error instanceof URIError) return "a % in it begins no encoded character; write %25 for a % of its own";
  if (code === "ECONNREFUSED") return `nothing listens at ${server}; start PostgreSQL, or correct host and port`;
  if (code === "ENOTFOUND" || code.startsWith("EAI_")) return "its host cannot be looked up; correct the host's name";
  if (code === "ENOENT" && path !== undefined)
    return "a file that it names is missing; correct sslrootcert, sslcert or sslkey";
  if (/^E(?:TIMEDOUT|HOSTUNREACH|NETUNREACH|ADDRNOTAVAIL|INVAL)$/.test(code) || /timeout|timed out/i.test(message))
    return `nothing at ${server} responded as PostgreSQL does in time; correct host and port, or open the way there`;
  if (code === "3D000")
    return `there is no database ${database}; create it with: createdb ${database}; or correct the name`;
  if (code === "28P01") return `the password for the role ${role} is wrong; correct it`;
  if (/password must be a string/.test(message))
    return `the role ${role} needs a password; write postgres://user:password@host/database`;
  if (/no encryption|SSL off/i.test(message)) return "the server takes no connection without TLS; add ?sslmode=require";
  if (code.startsWith("28"))
    return `the role ${role} does not exist or may not sign in from here; create it, or correct the name`;
  if (/does not support SSL/.test(message)) return "the server takes no TLS; remove sslmode from the address";
  if (/CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_/.test(code))
    return "its certificate is not trusted; name the authority's with sslrootcert";
  if (code === "42501")
    return `the role ${role} may not do what is needed; grant it CREATE on the database and its schema`;
  if (code === "53300") return "it has too many connections; end some, or raise max_connections";
  if (/^57P0|^08|^ECONN|^EPIPE/.test(code)) return "the server ended the connection; does it start or stop? Try again";
  return `what listens at ${server} does not respond as PostgreSQL does; correct host and port`;
}
