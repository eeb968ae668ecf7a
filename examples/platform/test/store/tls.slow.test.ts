import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { hasPostgresServer, OwnPostgres } from "../../../../scripts/processes/own-postgres.ts";
import { checkDatabase } from "../../src/settings/check-database.ts";
import { openStore } from "../../src/store/open-store.ts";

const openssl = (...args: string[]) => promisify(execFile)("openssl", args);

describe.runIf(hasPostgresServer)("TLS to PostgreSQL with sslmode=verify-full", () => {
  let folder: string;
  let server: OwnPostgres;
  const at = (name: string) => join(folder, name);
  const urlOf = (host: string, authority: string) =>
    `postgres://postgres@${host}:${server.port}/postgres?sslmode=verify-full&sslrootcert=${at(authority)}`;

  /** Creates a certificate authority, and a server certificate for `localhost`. */
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "offers-tls-"));
    const key = (name: string) => ["-newkey", "rsa:2048", "-nodes", "-keyout", at(`${name}.key`)];
    for (const name of ["authority", "other"])
      await openssl("req", "-x509", ...key(name), "-out", at(`${name}.crt`), "-subj", `/CN=${name}`, "-days", "2");
    await openssl("req", ...key("server"), "-out", at("server.csr"), "-subj", "/CN=localhost");
    await writeFile(at("names"), "subjectAltName=DNS:localhost");
    const signing = ["-CA", at("authority.crt"), "-CAkey", at("authority.key"), "-CAcreateserial", "-days", "2"];
    await openssl(
      "x509",
      "-req",
      "-in",
      at("server.csr"),
      ...signing,
      "-extfile",
      at("names"),
      "-out",
      at("server.crt"),
    );
    server = await OwnPostgres.create();
    for (const name of ["server.crt", "server.key"]) await server.addFile(at(name), name);
    await server.query("alter system set ssl = on");
    await server.query("select pg_reload_conf()");
    await vi.waitFor(async () => expect(await server.query("show ssl")).toEqual([{ ssl: "on" }]));
  }, 60_000);
  afterAll(async () => {
    await server?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  test("opens an encrypted store with the authority's root certificate", async () => {
    const databaseUrl = urlOf("localhost", "authority.crt");
    await checkDatabase(databaseUrl);
    const store = await openStore({ dataFolder: folder, databaseUrl });
    const { rows } = await store.execute("select ssl from pg_stat_ssl where pid = pg_backend_pid()");
    expect(rows).toEqual([{ ssl: true }]);
    await store.close();
  });

  test("rejects a server whose certificate another authority signed, and explains the remedy", () =>
    expect(checkDatabase(urlOf("localhost", "other.crt"))).rejects.toThrow(
      /its certificate is not trusted; set sslrootcert to the authority's certificate/,
    ));

  test("rejects a server whose certificate is for another name, and explains the remedy", () =>
    expect(checkDatabase(urlOf("127.0.0.1", "authority.crt"))).rejects.toThrow(
      /ERR_TLS_CERT_ALTNAME_INVALID.*its certificate is not trusted/,
    ));

  test("rejects a missing root certificate, and explains the remedy", () =>
    expect(checkDatabase(urlOf("localhost", "missing.crt"))).rejects.toThrow(/correct sslrootcert, sslcert or sslkey/));
});
