import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { checkDatabase } from "../src/check-database.ts";
import { storesUnderTest } from "./stores.ts";

/** What is said of a database at a server that does this with each connection. */
async function refusalAt(onConnection: (socket: Socket) => void, query = ""): Promise<unknown> {
  const server = createServer((socket) => onConnection(socket.on("error", () => undefined))).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const refusal = await checkDatabase(`postgres://ann:s3cret@127.0.0.1:${port}/x${query}`, 200).catch((error) => error);
  // That nothing of a connection is left: it would keep the process from ending.
  server.close();
  await once(server, "close");
  return refusal;
}

const saying = (reason: string) =>
  expect.objectContaining({
    code: "invalid_setting",
    message: `the database at DATABASE_URL cannot be used (${reason}); does it run?`,
  });

test("a server without TLS, where the address asks for it", async () =>
  expect(await refusalAt((socket) => socket.once("data", () => socket.end("N")), "?sslmode=verify-full")).toEqual(
    saying("it takes no TLS, which sslmode in it asks for"),
  ));

test("a server that does not answer", async () =>
  expect(await refusalAt((socket) => socket.resume())).toEqual(saying("it did not answer in time")));

test("a server of another kind", async () =>
  expect(
    await refusalAt((socket) => socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"))),
  ).toEqual(saying("the server answers as no PostgreSQL does")));

const [, postgres] = await storesUnderTest();

test.runIf(postgres)("a database that is there, and one that is not", async () => {
  const place = await postgres?.createPlace();
  const databaseUrl = place?.options.databaseUrl ?? "";
  await expect(checkDatabase(databaseUrl)).resolves.toBeUndefined();
  await expect(checkDatabase(`${databaseUrl}_not`)).rejects.toEqual(saying("3D000"));
  await place?.remove();
});
