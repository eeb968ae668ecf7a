import pg from "pg";
import { SettingError } from "./setting-error.ts";

/**
 * Connects once to the database, before anything else is started.
 *
 * @param options.setting the setting with the address
 * @param options.timeoutMs for the connection
 * @throws {SettingError} with the likely mistake and the remedy. It quotes only the role, host, port and database of the URL: the
 *   rest may contain a password
 */
export async function checkDatabase(
  databaseUrl: string,
  { setting = "DATABASE_URL", timeoutMs = 5_000 }: { setting?: string; timeoutMs?: number } = {},
): Promise<void> {
  try {
    // The constructor may throw: it reads the certificates that the URL names.
    const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: timeoutMs });
    // An error while the connection closes does not matter.
    client.on("error", () => undefined);
    await client.connect();
    await client.end();
  } catch (cause) {
    throw databaseError(cause, databaseUrl, setting);
  }
}

/** Describes a database that cannot be used, for the person who starts the platform. */
export function databaseError(cause: unknown, databaseUrl: string, setting = "DATABASE_URL"): SettingError {
  const { code = "", message = "" } = Object(cause) as NodeJS.ErrnoException;
  const { username = "", hostname = "", port = "", pathname = "", searchParams } = URL.parse(databaseUrl) ?? {};
  const server = `${hostname || searchParams?.get("host") || "localhost"}:${port || "5432"}`;
  const [role, database] = [decoded(username) || "(none named)", decoded(pathname.slice(1))];
  const values: Record<string, string> = { SERVER: server, DATABASE: database, ROLE: role };
  const [, reason] = reasons.find(([pattern]) => pattern.test(`${code} ${message}`)) ?? otherServer;
  const filled = reason.replace(/SERVER|DATABASE|ROLE/g, (name) => values[name] ?? name);
  const known = code === "" ? "" : ` (${code})`;
  const text = `${setting}: the database ${database} at ${server} cannot be used${known}: ${filled}`;
  return new SettingError(text, { cause });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Likely mistakes and their remedies. The first one that matches the error's code and message applies.
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const reasons: [RegExp, string][] = [
  [/^ URI malformed/, "a % in it begins no encoded character; write %25 for a literal %"],
  [/^ECONNREFUSED/, "nothing listens at SERVER; start PostgreSQL, or correct host and port"],
  [/^(?:ENOTFOUND|EAI_)/, "its host cannot be looked up; correct the host's name"],
  [/^ENOENT .*, open /, "a file that it names is missing; correct sslrootcert, sslcert or sslkey"],
  [
    /unsupported startup parameter/,
    "the pooler at SERVER refuses a parameter that it names; remove it, or add it to the pooler's ignore_startup_parameters",
  ],
  [
    /^E(?:TIMEDOUT|HOSTUNREACH|NETUNREACH|ADDRNOTAVAIL|INVAL) |timeout|timed out/i,
    "SERVER did not respond in time; correct host and port, or open the firewall",
  ],
  [/^3D000/, "there is no database DATABASE; create it with: createdb DATABASE; or correct the name"],
  [/^28P01/, "the password for the role ROLE is wrong; correct it"],
  [/password must be a string/, "the role ROLE needs a password; write postgres://user:password@host/database"],
  [/no encryption|SSL off/i, "the server takes no connection without TLS; add ?sslmode=require"],
  [/^28/, "the role ROLE does not exist or may not sign in from here; create it, or correct the name"],
  [/does not support SSL/, "the server takes no TLS; remove sslmode from the address"],
  [
    /^\S*(?:CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_)/,
    "its certificate is not trusted; name the authority's with sslrootcert",
  ],
  [/^42501/, "the role ROLE lacks a privilege; grant it CREATE on the database and its schema"],
  [/^53300/, "it has too many connections; end some, or raise max_connections"],
  [/^(?:57P0|08|ECONN|EPIPE)/, "the server ended the connection; is it starting or stopping? Try again"],
];

const otherServer = [/^/, "what listens at SERVER does not respond as PostgreSQL does; correct host and port"] as const;
