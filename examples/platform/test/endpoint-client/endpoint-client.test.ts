import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { EndpointRequest } from "../../src/endpoint-client/endpoint-client.ts";
import { hang, hangUp, openReceiver, type Receiver, respondWith } from "../support/receiver.ts";
import { sendRequest } from "./send-request.ts";

describe("requests to an integrator", () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await openReceiver();
  });
  afterEach(() => receiver.close());

  const send = (request: Partial<EndpointRequest> = {}) =>
    sendRequest({ allowLoopback: true }, { baseAddress: receiver.baseAddress, ...request });

  test("carry JSON and headers, and return the response", async () => {
    receiver.respond = respondWith(201, { "content-type": "text/plain" }, "hello");
    const result = await send({
      method: "POST",
      path: "/offer/response",
      headers: { "x-a": "b" },
      body: { name: "ü" },
    });
    expect(result).toMatchObject({ ok: true, status: 201, contentType: "text/plain", truncated: false });
    expect(result.ok && result.body.toString()).toBe("hello");
    expect(receiver.requests).toMatchObject([
      { method: "POST", url: "/offer/response", body: '{"name":"ü"}', headers: { "x-a": "b", "content-length": "13" } },
    ]);
  });

  test("do not follow redirects", async () => {
    receiver.respond = respondWith(302, { location: "/elsewhere" });
    expect(await send()).toMatchObject({ ok: true, status: 302 });
    expect(receiver.requests).toHaveLength(1);
  });

  test("interpret a date in Retry-After by the response's clock", async () => {
    const retryAfterOf = async (headers: Record<string, string>) => {
      receiver.respond = respondWith(503, headers);
      const result = await send();
      return result.ok && result.retryAfterMs;
    };
    // A receiver whose clock is an hour behind asks for 30 seconds.
    const date = (secondsOff: number) => new Date(Date.now() + secondsOff * 1_000).toUTCString();
    expect(await retryAfterOf({ date: date(-3_600), "retry-after": date(-3_570) })).toBe(30_000);
    expect(await retryAfterOf({ date: date(3_600), "retry-after": date(3_630) })).toBe(30_000);
  });

  test("ask for an uncompressed response", async () => {
    await send();
    expect(receiver.requests).toMatchObject([{ headers: { "accept-encoding": "identity" } }]);
  });

  test("are not sent when they are larger than 256 kB [D-24]", async () => {
    expect(await send({ method: "POST", body: "x".repeat(256 * 1024) })).toMatchObject({
      ok: false,
      code: "request_too_large",
    });
    expect(receiver.requests).toHaveLength(0);
  });

  test("wait for a connection before they check the lease, and are not sent if it has ended [D-70]", async () => {
    const connections: number[] = [];
    const mayStart = (held: boolean) => () => {
      connections.push(receiver.requests.length);
      return held;
    };
    expect(await send({ mayStart: mayStart(false) })).toMatchObject({ ok: false, code: "aborted" });
    expect(receiver.requests).toHaveLength(0);
    expect(await send({ mayStart: mayStart(true) })).toMatchObject({ ok: true, status: 200 });
    expect(connections).toEqual([0, 0]);
  });

  test("read at most 64 kB of an endless response [D-24]", async () => {
    receiver.respond = (_, response) => {
      response.writeHead(200);
      const pour = (): boolean => response.writable && response.write("x".repeat(16_384), () => setImmediate(pour));
      pour();
    };
    const result = await send();
    expect(result).toMatchObject({ ok: true, status: 200, truncated: true });
    expect(result.ok && result.body.length).toBe(65_536);
  });

  test("report a connection that closes without a response", async () => {
    receiver.respond = hangUp;
    expect(await send()).toMatchObject({ ok: false, code: "connection_lost" });
  });

  test("report that no server is listening", async () => {
    const { baseAddress } = receiver;
    const gone = await openReceiver();
    await gone.close();
    expect(await send({ baseAddress: gone.baseAddress })).toMatchObject({ ok: false, code: "connection_refused" });
    expect(await send({ baseAddress })).toMatchObject({ ok: true });
  });

  test.each(["ftp://127.0.0.1", "not an address"])("report the invalid base URL %j", async (baseAddress) =>
    expect(await send({ baseAddress })).toMatchObject({ ok: false, code: "invalid_address" }),
  );

  test("report a response that is not HTTP or not over https", async () => {
    const server = await openRawServer((socket) => socket.end("220 smtp.example.com ESMTP\r\n"));
    expect(await send({ baseAddress: server.baseAddress })).toMatchObject({ ok: false, code: "protocol_error" });
    const https = server.baseAddress.replace("http:", "https:");
    expect(await send({ baseAddress: https })).toMatchObject({ ok: false, code: "tls_failed" });
    await server.close();
  });

  // Each of these keeps the connection busy in a different way; the deadline applies to the whole attempt.
  const slow: [string, (socket: Socket) => void][] = [
    ["silence", () => undefined],
    ["headers byte by byte", (socket) => drip(socket, "HTTP/1.1 200 OK\r\nx-slow: ", "a")],
    ["a body byte by byte", (socket) => drip(socket, "HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n", "a")],
    ["early hints for ever", (socket) => drip(socket, "", "HTTP/1.1 103 Early Hints\r\n\r\n")],
  ];
  test.each(slow)("end at their deadline with %s", async (_, misbehave) => {
    const server = await openRawServer(misbehave);
    expect(await send({ baseAddress: server.baseAddress, timeoutMs: 600 })).toMatchObject({
      ok: false,
      code: "timeout",
    });
    await server.close();
  });
});

test("a stopped attempt ends immediately, before its deadline", async () => {
  const receiver = await openReceiver(hang);
  const stop = new AbortController();
  const { baseAddress } = receiver;
  const result = sendRequest({ allowLoopback: true }, { baseAddress, timeoutMs: 60_000, signal: stop.signal });
  while (receiver.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  expect(await result).toMatchObject({ ok: false, code: "aborted" });
  const late = await sendRequest({ allowLoopback: true }, { baseAddress, signal: stop.signal });
  expect([late.ok, receiver.requests.length]).toEqual([false, 1]);
  await receiver.close();
});

function drip(socket: Socket, start: string, drop: string): void {
  socket.write(start);
  const timer = setInterval(() => socket.write(drop), 50);
  socket.on("close", () => clearInterval(timer));
}

async function openRawServer(
  misbehave: (socket: Socket) => void,
): Promise<{ baseAddress: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => misbehave(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseAddress: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
