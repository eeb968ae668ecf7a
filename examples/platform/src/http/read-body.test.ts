import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import express from "express";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { problemHandler } from "./problem.ts";
import { jsonReader } from "./read-body.ts";

const limitBytes = 32;
const timeoutMs = 500;
const refusals: unknown[] = [];

const app = express();
const read = jsonReader(limitBytes, timeoutMs);
app.use("/decoded", (request, _response, next) => {
  request.setEncoding("utf8");
  next();
});
app.use(async (request, response) => {
  const value = await read(request, response).catch((error: unknown) => {
    refusals.push(error);
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

/** Sends these bytes over a socket, because an HTTP client would correct them. */
async function send(head: string[], body: string | Uint8Array = "", path = "/"): Promise<unknown> {
  const socket = connect(port(), "127.0.0.1");
  socket.write([`POST ${path} HTTP/1.1`, "Host: localhost", "Connection: close", ...head, "", ""].join("\r\n"));
  socket.write(body);
  let text = "";
  for await (const chunk of socket.setEncoding("utf8")) text += chunk;
  return JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4));
}

const sized = (body: string | Uint8Array, ...head: string[]): Promise<unknown> =>
  send([`Content-Length: ${Buffer.byteLength(body)}`, ...head], body);

const json = "Content-Type: application/json";

describe("a JSON body is read", () => {
  test.each([
    json,
    "content-type: application/json; charset=utf-8",
    'Content-Type: application/json;charset="UTF-8"',
    "Content-Type: application/json; version=1;  charset=utf-8",
    "Content-Type: application/vnd.offers+json",
  ])("with %s", async (head) => expect(await sized('{"title":"Küche"}', head)).toEqual({ value: { title: "Küche" } }));

  test("of the largest size", async () => {
    const title = "x".repeat(limitBytes - 2);
    expect(await sized(JSON.stringify(title), json)).toEqual({ value: title });
  });

  test("that is null", async () => expect(await sized("null", json)).toEqual({ value: null }));

  test("in chunks", async () =>
    expect(await send(["Transfer-Encoding: chunked", json], "2\r\n[1\r\n1\r\n]\r\n0\r\n\r\n")).toEqual({ value: [1] }));

  test("compressed", async () =>
    expect(await sized(gzipSync("[1]"), json, "Content-Encoding: gzip")).toEqual({ value: [1] }));
});

describe("a body is rejected", () => {
  const missing = { status: 400, code: "missing_body", detail: expect.stringContaining("documented JSON body") };

  test.each([[[]], [["Content-Length: 0"]], [[json, "Content-Length: 0"]]])("that is missing: %j", async (head) =>
    expect(await send(head)).toMatchObject(missing),
  );

  test("that turns out to be empty", async () =>
    expect(await send(["Transfer-Encoding: chunked", json], "0\r\n\r\n")).toMatchObject(missing));

  test.each([
    "Accept: application/json",
    "Content-Type: text/plain",
    "Content-Type: application/jsonp",
    "Content-Type: application/json; charset=utf-16",
    "Content-Type: application/json; charset=iso-8859-1",
    'Content-Type: application/json;   charset="utf-16"',
  ])("with %s", async (head) =>
    expect(await sized("{}", head)).toMatchObject({
      status: 415,
      code: "unsupported_media_type",
      detail: expect.stringContaining("Content-Type: application/json"),
    }),
  );

  test("compressed in an unknown way", async () =>
    expect(await sized("{}", json, "Content-Encoding: zstd9")).toMatchObject({
      status: 415,
      code: "unsupported_media_type",
      detail: expect.stringContaining("Content-Encoding"),
    }));

  test.each([
    ["by a byte", JSON.stringify("x".repeat(limitBytes - 1)), []],
    ["when unpacked", gzipSync(JSON.stringify("x".repeat(9_999))), ["Content-Encoding: gzip"]],
  ])("that is too large %s", async (_, body, head) =>
    expect(await sized(body, json, ...head)).toMatchObject({
      status: 413,
      code: "body_too_large",
      detail: "Send at most 32 bytes.",
    }),
  );

  test.each(['{"title":', "{} {}", Uint8Array.of(0x22, 0xff, 0x22), "NaN"])(
    "that is not JSON in UTF-8: %j",
    async (body) =>
      expect(await sized(body, json)).toMatchObject({
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
  ])("that is not valid %s, %#", async (coding, body) =>
    expect(await sized(body, json, `Content-Encoding: ${coding}`)).toMatchObject({
      status: 400,
      code: "malformed_json",
      detail: expect.stringContaining("Content-Encoding"),
    }),
  );

  test("that stalls, and the connection ends", async () => {
    const stalled = await send(["Content-Length: 500", json], '{"t');
    expect(stalled).toMatchObject({ status: 408, code: "body_timeout" });
  });

  test("that breaks off", async () => {
    refusals.length = 0;
    const socket = connect(port(), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\n${json}\r\nContent-Length: 9\r\n\r\n{"t`);
    socket.end();
    await expect.poll(() => refusals, { timeout: 5_000 }).toHaveLength(1);
    expect(refusals[0]).toMatchObject({
      code: "malformed_json",
      message: expect.stringContaining("Content-Length"),
      cause: { type: "request.aborted" },
    });
    socket.destroy();
  });
});

test("an internal error is not reported as an invalid request", async () => {
  refusals.length = 0;
  const body = await send([json, "Content-Length: 2"], "{}", "/decoded");
  expect(body).toMatchObject({ status: 500, code: "internal_error" });
  expect(refusals).toEqual([expect.objectContaining({ type: "stream.encoding.set" })]);
});

test("a refusal keeps its cause for the log", async () => {
  refusals.length = 0;
  await sized("{", json);
  await sized("x".repeat(99), json);
  await sized("{}", json, "Content-Encoding: zstd9");
  expect(refusals.map((refusal) => (refusal as Error).cause)).toEqual([
    expect.any(SyntaxError),
    expect.objectContaining({ type: "entity.too.large" }),
    expect.objectContaining({ type: "encoding.unsupported" }),
  ]);
});
