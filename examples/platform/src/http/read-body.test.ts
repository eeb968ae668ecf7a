import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import express from "express";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { problemHandler } from "./problem.ts";
import { createJsonReader } from "./read-body.ts";

const limitBytes = 32;
const timeoutMs = 500;
const rejections: unknown[] = [];

const app = express();
const read = createJsonReader({ limitBytes, timeoutMs, inflate: true });
// The body parser fails with an internal error if the request already has an encoding.
app.use("/decoded", (request, _response, next) => {
  request.setEncoding("utf8");
  next();
});
app.use(async (request, response) => {
  const value = await read(request, response).catch((error: unknown) => {
    rejections.push(error);
    throw error;
  });
  response.json({ value });
});
app.use(problemHandler(() => undefined));

const server = app.listen(0, "127.0.0.1");
const port = (): number => (server.address() as AddressInfo).port;
beforeAll(async () => {
  if (!server.listening) await once(server, "listening");
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** Sends these exact bytes over a socket, because an HTTP client would correct them. */
async function send(head: string[], body: string | Uint8Array = "", path = "/"): Promise<unknown> {
  const socket = connect(port(), "127.0.0.1");
  socket.write([`POST ${path} HTTP/1.1`, "Host: localhost", "Connection: close", ...head, "", ""].join("\r\n"));
  socket.write(body);
  let text = "";
  for await (const chunk of socket.setEncoding("utf8")) text += chunk;
  return JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4));
}

const sendWithLength = (body: string | Uint8Array, ...head: string[]): Promise<unknown> =>
  send([`Content-Length: ${Buffer.byteLength(body)}`, ...head], body);

const json = "Content-Type: application/json";

describe("a valid body", () => {
  test.each([
    json,
    "content-type: application/json; charset=utf-8",
    'Content-Type: application/json;charset="UTF-8"',
    "Content-Type: application/json; version=1;  charset=utf-8",
    "Content-Type: application/vnd.offers+json",
  ])("accepts a JSON body with the header %s", async (head) =>
    expect(await sendWithLength('{"title":"Küche"}', head)).toEqual({ value: { title: "Küche" } }),
  );

  test("accepts a JSON body that is exactly as long as the limit", async () => {
    const title = "x".repeat(limitBytes - 2);
    expect(await sendWithLength(JSON.stringify(title), json)).toEqual({ value: title });
  });

  test("accepts the JSON body null", async () => expect(await sendWithLength("null", json)).toEqual({ value: null }));

  test("accepts a JSON body in chunks", async () =>
    expect(await send(["Transfer-Encoding: chunked", json], "2\r\n[1\r\n1\r\n]\r\n0\r\n\r\n")).toEqual({ value: [1] }));

  test("accepts a compressed JSON body", async () =>
    expect(await sendWithLength(gzipSync("[1]"), json, "Content-Encoding: gzip")).toEqual({ value: [1] }));
});

describe("an invalid body", () => {
  const missingBody = { status: 400, code: "missing_body", detail: expect.stringContaining("documented JSON body") };

  test.each([[[]], [["Content-Length: 0"]], [[json, "Content-Length: 0"]]])(
    "rejects a missing body: %j",
    async (head) => expect(await send(head)).toMatchObject(missingBody),
  );

  test("rejects a body of empty chunks", async () =>
    expect(await send(["Transfer-Encoding: chunked", json], "0\r\n\r\n")).toMatchObject(missingBody));

  test.each([
    "Accept: application/json",
    "Content-Type: text/plain",
    "Content-Type: application/jsonp",
    "Content-Type: application/json; charset=utf-16",
    "Content-Type: application/json; charset=iso-8859-1",
    'Content-Type: application/json;   charset="utf-16"',
  ])("rejects a body with the header %s", async (head) =>
    expect(await sendWithLength("{}", head)).toMatchObject({
      status: 415,
      code: "unsupported_media_type",
      detail: expect.stringContaining("Content-Type: application/json"),
    }),
  );

  test("rejects a body with an unknown Content-Encoding", async () =>
    expect(await sendWithLength("{}", json, "Content-Encoding: zstd9")).toMatchObject({
      status: 415,
      code: "unsupported_media_type",
      detail: expect.stringContaining("Content-Encoding"),
    }));

  test.each([
    ["by a byte", JSON.stringify("x".repeat(limitBytes - 1)), []],
    ["after decompression", gzipSync(JSON.stringify("x".repeat(9_999))), ["Content-Encoding: gzip"]],
  ])("rejects a body that is too large %s", async (_, body, head) =>
    expect(await sendWithLength(body, json, ...head)).toMatchObject({
      status: 413,
      code: "body_too_large",
      detail: "Send at most 32 bytes.",
    }),
  );

  test.each(['{"title":', "{} {}", Uint8Array.of(0x22, 0xff, 0x22), "NaN"])(
    "rejects a body that is not JSON in UTF-8: %j",
    async (body) =>
      expect(await sendWithLength(body, json)).toMatchObject({
        status: 400,
        code: "malformed_json",
        detail: expect.stringContaining("one JSON value in UTF-8"),
      }),
  );

  test.each([
    ["gzip", Buffer.from("{}")],
    ["gzip", gzipSync("{}").subarray(0, -4)],
    ["br", Buffer.from("\xff\xff\xff")],
    ["br", brotliCompressSync('{"title":"Kitchen"}').subarray(0, -4)],
    ["deflate", Buffer.from("{}")],
  ])("rejects a body that is not valid %s, %#", async (coding, body) =>
    expect(await sendWithLength(body, json, `Content-Encoding: ${coding}`)).toMatchObject({
      status: 400,
      code: "malformed_json",
      detail: expect.stringContaining("Content-Encoding"),
    }),
  );

  test("rejects a body that stalls, and closes the connection", async () => {
    const stalled = await send(["Content-Length: 500", json], '{"t');
    expect(stalled).toMatchObject({ status: 408, code: "body_timeout" });
  });

  test("rejects a body when the connection breaks", async () => {
    rejections.length = 0;
    const socket = connect(port(), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\n${json}\r\nContent-Length: 9\r\n\r\n{"t`);
    socket.end();
    await expect.poll(() => rejections, { timeout: 5_000 }).toHaveLength(1);
    expect(rejections[0]).toMatchObject({
      code: "malformed_json",
      message: expect.stringContaining("Content-Length"),
      cause: { type: "request.aborted" },
    });
    socket.destroy();
  });
});

test("does not report an internal error as an invalid request", async () => {
  rejections.length = 0;
  const body = await send([json, "Content-Length: 2"], "{}", "/decoded");
  expect(body).toMatchObject({ status: 500, code: "internal_error" });
  expect(rejections).toEqual([expect.objectContaining({ type: "stream.encoding.set" })]);
});

test("keeps the cause of a rejection for the log", async () => {
  rejections.length = 0;
  await sendWithLength("{", json);
  await sendWithLength("x".repeat(99), json);
  await sendWithLength("{}", json, "Content-Encoding: zstd9");
  expect(rejections.map((rejection) => (rejection as Error).cause)).toEqual([
    expect.any(SyntaxError),
    expect.objectContaining({ type: "entity.too.large" }),
    expect.objectContaining({ type: "encoding.unsupported" }),
  ]);
});
