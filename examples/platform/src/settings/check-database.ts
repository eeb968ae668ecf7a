import pg from "pg";
import { SettingError } from "./setting-error.ts";

/**
 * Connects to the database once, before anything else is started.
 *
 * @param options.setting the name of the setting that contains the URL
 * @param options.timeoutMs the time limit for the connection
 * @throws {SettingError} with the likely cause and the remedy. Quotes only the role, host, port and database in the URL, because the
 *   rest may contain a password
 */
export async function checkDatabase(
  databaseUrl: string,
  { setting = "DATABASE_URL", timeoutMs = 5_000 }: { setting?: string; timeoutMs?: number } = {},
): Promise<void> {
  try {
    // The constructor may throw, because it reads the certificates that the URL refers to.
    const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: timeoutMs });
    // Ignore errors that occur while the connection closes.
    client.on("error", () => undefined);
    await client.connect();
    await client.end();
  } catch (cause) {
    throw databaseError(cause, databaseUrl, setting);
  }
}

/** Creates the error that explains to the operator why the database cannot be used. */
export function databaseError(cause: unknown, databaseUrl: string, setting = "DATABASE_URL"): SettingError {
  const { code = "", message = "" } = cause as NodeJS.ErrnoException;
  const { username = "", hostname = "", port = "", pathname = "", searchParams } = URL.parse(databaseUrl) ?? {};
  const server = `${hostname || searchParams?.get("host") || "localhost"}:${port || "5432"}`;
  const role = decodeSafely(username) || "(none)";
  const database = decodeSafely(pathname.slice(1));
  const values: Record<string, string> = { SERVER: server, DATABASE: database, ROLE: role };
  const [, reason] = reasons.find(([pattern]) => pattern.test(`${code} ${message}`)) ?? unknownServerReason;
  const problem = reason.replace(/SERVER|DATABASE|ROLE/g, (name) => values[name] ?? name);
  const codeLabel = code === "" ? "" : ` (${code})`;
  const text = `${setting}: the database ${database} at ${server} cannot be used${codeLabel}: ${problem}`;
  return new SettingError(text, { cause });
}

/** Percent-decodes a string. Returns it unchanged if it is not validly encoded. */
function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Likely causes and their remedies. The first entry whose pattern matches the error's code and message applies.
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const reasons: [RegExp, string][] = [
  [/^ URI malformed/, "it contains a % that does not start an encoded character; use %25 for a literal %"],
  [/^ECONNREFUSED/, "nothing is listening at SERVER; start PostgreSQL, or correct the host and port"],
  [/^(?:ENOTFOUND|EAI_)/, "its host name cannot be resolved; correct the host name"],
  [/^ENOENT .*, open /, "it refers to a file that does not exist; correct sslrootcert, sslcert or sslkey"],
  [
    /unsupported startup parameter/,
    "the pooler at SERVER rejects one of the URL's parameters; remove it, or add it to the pooler's ignore_startup_parameters",
  ],
  [
    /^E(?:TIMEDOUT|HOSTUNREACH|NETUNREACH|ADDRNOTAVAIL|INVAL) |timeout|timed out/i,
    "SERVER did not respond in time; correct the host and port, or open the firewall",
  ],
  [/^3D000/, "the database DATABASE does not exist; create it with createdb DATABASE, or correct the name"],
  [/^28P01/, "the password for the role ROLE is incorrect; correct it"],
  [/password must be a string/, "the role ROLE needs a password; use postgres://user:password@host/database"],
  [/no encryption|SSL off/i, "the server accepts only TLS connections; add ?sslmode=require"],
  [/^28/, "the role ROLE does not exist, or is not allowed to sign in from here; create it, or correct the name"],
  [/does not support SSL/, "the server does not support TLS; remove sslmode from the URL"],
  [
    /^\S*(?:CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_)/,
    "its certificate is not trusted; set sslrootcert to the authority's certificate",
  ],
  [/^42501/, "the role ROLE lacks a privilege; grant it CREATE on the database and its schema"],
  [/^53300/, "it has too many connections; close some, or raise max_connections"],
  [
    /^(?:57P0|08|ECONN|EPIPE)/,
    "the server closed the connection, perhaps because it is starting or stopping; try again",
  ],
];

const unknownServerReason = [
  /^/,
  "the server at SERVER does not respond like PostgreSQL; correct the host and port",
] as const;
