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
  const inFolder = (name: string) => join(folder, name);
  const databaseUrlFor = (host: string, authority: string) =>
    `postgres://postgres@${host}:${server.port}/postgres?sslmode=verify-full&sslrootcert=${inFolder(authority)}`;

  /** Starts a server whose certificate for `localhost` is signed by the first of two certificate authorities. */
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "offers-tls-"));
    const newKeyOptions = (name: string) => ["-newkey", "rsa:2048", "-nodes", "-keyout", inFolder(`${name}.key`)];
    for (const name of ["authority", "other"])
      await openssl(
        "req",
        "-x509",
        ...newKeyOptions(name),
        "-out",
        inFolder(`${name}.crt`),
        "-subj",
        `/CN=${name}`,
        "-days",
        "2",
      );
    await openssl("req", ...newKeyOptions("server"), "-out", inFolder("server.csr"), "-subj", "/CN=localhost");
    await writeFile(inFolder("names"), "subjectAltName=DNS:localhost");
    const signing = [
      "-CA",
      inFolder("authority.crt"),
      "-CAkey",
      inFolder("authority.key"),
      "-CAcreateserial",
      "-days",
      "2",
    ];
    await openssl(
      "x509",
      "-req",
      "-in",
      inFolder("server.csr"),
      ...signing,
      "-extfile",
      inFolder("names"),
      "-out",
      inFolder("server.crt"),
    );
    server = await OwnPostgres.create();
    for (const name of ["server.crt", "server.key"]) await server.addFile(inFolder(name), name);
    await server.query("alter system set ssl = on");
    await server.query("select pg_reload_conf()");
    await vi.waitFor(async () => expect(await server.query("show ssl")).toEqual([{ ssl: "on" }]));
  }, 60_000);
  afterAll(async () => {
    await server?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  test("the connection is encrypted if the root certificate of the authority verifies the server certificate", async () => {
    const databaseUrl = databaseUrlFor("localhost", "authority.crt");
    await checkDatabase(databaseUrl);
    const store = await openStore({ dataFolder: folder, databaseUrl });
    const { rows } = await store.execute("select ssl from pg_stat_ssl where pid = pg_backend_pid()");
    expect(rows).toEqual([{ ssl: true }]);
    await store.close();
  });

  test("a server certificate signed by a different authority is rejected, and the error names the remedy", () =>
    expect(checkDatabase(databaseUrlFor("localhost", "other.crt"))).rejects.toThrow(
      /its certificate is not trusted; set sslrootcert to the authority's certificate/,
    ));

  test("a server certificate for a different name is rejected, and the error names the remedy", () =>
    expect(checkDatabase(databaseUrlFor("127.0.0.1", "authority.crt"))).rejects.toThrow(
      /ERR_TLS_CERT_ALTNAME_INVALID.*its certificate is not trusted/,
    ));

  test("a missing root certificate is rejected, and the error names the remedy", () =>
    expect(checkDatabase(databaseUrlFor("localhost", "missing.crt"))).rejects.toThrow(
      /correct sslrootcert, sslcert or sslkey/,
    ));
});
