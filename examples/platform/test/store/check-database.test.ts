import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { checkDatabase } from "../../src/settings/check-database.ts";
import { storesUnderTest } from "../support/stores/stores.ts";

/** Calls `checkDatabase` with the URL of a server that handles connections with `onConnection`. @returns the error, if any */
async function checkServer(onConnection: (socket: Socket) => void, query = ""): Promise<unknown> {
  const server = createServer((socket) => onConnection(socket.on("error", () => undefined))).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const error = await checkDatabase(`postgres://ann:s3cret@127.0.0.1:${port}/x${query}`, { timeoutMs: 500 }).catch(
    (thrown) => thrown,
  );
  // The server closes only once `checkDatabase` has ended its connection.
  server.close();
  await once(server, "close");
  return error;
}

const errorWithReason = (reason: RegExp) =>
  expect.objectContaining({
    code: "invalid_setting",
    message: expect.stringMatching(
      new RegExp(`^DATABASE_URL: the database x at 127\\.0\\.0\\.1:\\d+ cannot be used.*: ${reason.source}$`),
    ),
  });

test("checkDatabase explains that a server does not support the TLS that the URL requires", async () =>
  expect(await checkServer((socket) => socket.once("data", () => socket.end("N")), "?sslmode=verify-full")).toEqual(
    errorWithReason(/the server does not support TLS; remove sslmode from the URL/),
  ));

test("checkDatabase explains that a server does not respond", async () =>
  expect(await checkServer((socket) => socket.resume())).toEqual(
    errorWithReason(/\S+ did not respond in time; correct the host and port, or open the firewall/),
  ));

test("checkDatabase explains that a server is not PostgreSQL", async () =>
  expect(
    await checkServer((socket) => socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"))),
  ).toEqual(errorWithReason(/the server at \S+ does not respond like PostgreSQL; correct the host and port/)));

/** Encodes an ErrorResponse: https://www.postgresql.org/docs/current/protocol-message-formats.html */
function encodeErrorResponse(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`);
  // The length includes its own four bytes.
  const length = Buffer.alloc(4);
  length.writeInt32BE(fields.length + 4);
  return Buffer.concat([Buffer.from("E"), length, fields]);
}

test.each([
  ["28P01", 'password authentication failed for user "ann"', /the password for the role ann is incorrect; correct it/],
  ["28000", 'role "ann" does not exist', /the role ann does not exist, or is not allowed to sign in from here; .*/],
  [
    "28000",
    'no pg_hba.conf entry for host "::1", user "ann", database "x", no encryption',
    /the server accepts only TLS connections; add \?sslmode=require/,
  ],
  [
    "3D000",
    'database "x" does not exist',
    /the database x does not exist; create it with createdb x, or correct the name/,
  ],
  ["42501", "permission denied for database", /the role ann lacks a privilege; grant it CREATE .*/],
  [
    "08P01",
    "unsupported startup parameter: statement_timeout",
    /the pooler at \S+ rejects one of the URL's parameters; .*/,
  ],
  ["53300", "too many connections", /it has too many connections; .*/],
  ["57P03", "the database system is starting up", /the server closed the connection, .* try again/],
])("checkDatabase explains a rejection with %s: %s", async (code, message, reason) => {
  const error = await checkServer((socket) =>
    socket.once("data", () => socket.end(encodeErrorResponse(code, message))),
  );
  expect(error).toEqual(errorWithReason(reason));
  expect(String(error)).toContain(`(${code})`);
  expect(String(error)).not.toContain("s3cret");
});

test("checkDatabase hides a password that is a parameter or contains unusual characters", async () => {
  for (const url of ["postgres://ann:%zz%2Fs3cret@127.0.0.1:1/x", "postgres://127.0.0.1:1/x?password=s3cret&user=ann"])
    await expect(checkDatabase(url)).rejects.toThrow(/^(?!.*s3cret)DATABASE_URL: the database x at 127\.0\.0\.1:1 /);
});

const [, postgres] = await storesUnderTest();

test.runIf(postgres)("checkDatabase accepts an existing database and explains that a database is missing", async () => {
  const database = await postgres?.createDatabase();
  const databaseUrl = database?.options.databaseUrl ?? "";
  await expect(checkDatabase(databaseUrl)).resolves.toBeUndefined();
  await expect(checkDatabase(`${databaseUrl}_not`)).rejects.toThrow(
    / \(3D000\): the database \w+_not does not exist; create it /,
  );
  await database?.remove();
});
