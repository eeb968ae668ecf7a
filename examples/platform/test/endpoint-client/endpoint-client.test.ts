import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { EndpointRequest } from "../../src/endpoint-client/endpoint-client.ts";
import { hang, hangUp, openReceiver, type Receiver, respondWith } from "../support/receiver.ts";
import { sendRequest } from "./send-request.ts";

describe("requests to an endpoint", () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await openReceiver();
  });
  afterEach(() => receiver.close());

  const send = (request: Partial<EndpointRequest> = {}) =>
    sendRequest({ allowLoopback: true }, { baseAddress: receiver.baseAddress, ...request });

  test("a request sends JSON and headers, and returns the response", async () => {
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

  test("requests do not follow redirects", async () => {
    receiver.respond = respondWith(302, { location: "/elsewhere" });
    expect(await send()).toMatchObject({ ok: true, status: 302 });
    expect(receiver.requests).toHaveLength(1);
  });

  test("a date in Retry-After is compared with the response's Date header", async () => {
    const receiveRetryAfter = async (headers: Record<string, string>) => {
      receiver.respond = respondWith(503, headers);
      const result = await send();
      return result.ok && result.retryAfterMs;
    };
    // A receiver whose clock is an hour behind asks for 30 seconds.
    const formatDate = (offsetSeconds: number) => new Date(Date.now() + offsetSeconds * 1_000).toUTCString();
    expect(await receiveRetryAfter({ date: formatDate(-3_600), "retry-after": formatDate(-3_570) })).toBe(30_000);
    expect(await receiveRetryAfter({ date: formatDate(3_600), "retry-after": formatDate(3_630) })).toBe(30_000);
  });

  test("a secret is masked in every header of a redirect that echoes it [D-49]", async () => {
    const secret = "a-secret-of-32-characters-at-most";
    receiver.respond = respondWith(302, { location: `/${secret}`, "content-type": secret, "content-encoding": secret });
    const result = await send({ confidential: { signatures: [], secrets: [secret] } });
    expect(result).toMatchObject({
      contentType: expect.any(String),
      contentEncoding: expect.any(String),
      location: expect.any(String),
    });
    expect(JSON.stringify(result)).not.toContain(secret);
  });

  test("requests ask for an uncompressed response", async () => {
    await send();
    expect(receiver.requests).toMatchObject([{ headers: { "accept-encoding": "identity" } }]);
  });

  test("a request larger than 256 kB is not sent [D-24]", async () => {
    expect(await send({ method: "POST", body: "x".repeat(256 * 1024) })).toMatchObject({
      ok: false,
      code: "request_too_large",
    });
    expect(receiver.requests).toHaveLength(0);
  });

  test("the lease is checked only after connecting, and a request whose lease has ended is not sent [D-70]", async () => {
    const requestCounts: number[] = [];
    const mayStart = (isLeaseHeld: boolean) => () => {
      requestCounts.push(receiver.requests.length);
      return isLeaseHeld;
    };
    expect(await send({ mayStart: mayStart(false) })).toMatchObject({ ok: false, code: "aborted" });
    expect(receiver.requests).toHaveLength(0);
    expect(await send({ mayStart: mayStart(true) })).toMatchObject({ ok: true, status: 200 });
    expect(requestCounts).toEqual([0, 0]);
  });

  test("at most 64 kB of an endless response are read [D-24]", async () => {
    receiver.respond = (_, response) => {
      response.writeHead(200);
      const writeForever = (): void => {
        if (response.writable) response.write("x".repeat(16_384), () => setImmediate(writeForever));
      };
      writeForever();
    };
    const result = await send();
    expect(result).toMatchObject({ ok: true, status: 200, truncated: true });
    expect(result.ok && result.body.length).toBe(65_536);
  });

  test("a connection that closes without a response is reported", async () => {
    receiver.respond = hangUp;
    expect(await send()).toMatchObject({ ok: false, code: "connection_lost" });
  });

  test("a refused connection is reported when no server is listening", async () => {
    const { baseAddress } = receiver;
    const closedReceiver = await openReceiver();
    await closedReceiver.close();
    expect(await send({ baseAddress: closedReceiver.baseAddress })).toMatchObject({
      ok: false,
      code: "connection_refused",
    });
    expect(await send({ baseAddress })).toMatchObject({ ok: true });
  });

  test.each(["ftp://127.0.0.1", "not an address"])("the invalid base URL %j is reported", async (baseAddress) =>
    expect(await send({ baseAddress })).toMatchObject({ ok: false, code: "invalid_address" }),
  );

  test("a response that is not HTTP, or not TLS, is reported", async () => {
    const server = await openRawServer((socket) => socket.end("220 smtp.example.com ESMTP\r\n"));
    expect(await send({ baseAddress: server.baseAddress })).toMatchObject({ ok: false, code: "protocol_error" });
    const https = server.baseAddress.replace("http:", "https:");
    expect(await send({ baseAddress: https })).toMatchObject({ ok: false, code: "tls_failed" });
    await server.close();
  });

  // Each server keeps the connection busy in a different way. The deadline applies to the whole attempt.
  const slowBehaviours: [string, (socket: Socket) => void][] = [
    ["silence", () => undefined],
    ["headers byte by byte", (socket) => sendSlowly(socket, "HTTP/1.1 200 OK\r\nx-slow: ", "a")],
    ["a body byte by byte", (socket) => sendSlowly(socket, "HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n", "a")],
    ["endless early hints", (socket) => sendSlowly(socket, "", "HTTP/1.1 103 Early Hints\r\n\r\n")],
  ];
  test.each(slowBehaviours)("a request ends at its deadline when it receives %s", async (_, misbehave) => {
    const server = await openRawServer(misbehave);
    expect(await send({ baseAddress: server.baseAddress, timeoutMs: 600 })).toMatchObject({
      ok: false,
      code: "timeout",
    });
    await server.close();
  });
});

test("an aborted attempt ends immediately, before its deadline", async () => {
  const receiver = await openReceiver(hang);
  const controller = new AbortController();
  const { baseAddress } = receiver;
  const result = sendRequest({ allowLoopback: true }, { baseAddress, timeoutMs: 60_000, signal: controller.signal });
  while (receiver.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  controller.abort();
  expect(await result).toMatchObject({ ok: false, code: "aborted" });
  const lateResult = await sendRequest({ allowLoopback: true }, { baseAddress, signal: controller.signal });
  expect([lateResult.ok, receiver.requests.length]).toEqual([false, 1]);
  await receiver.close();
});

function sendSlowly(socket: Socket, start: string, chunk: string): void {
  socket.write(start);
  const timer = setInterval(() => socket.write(chunk), 50);
  socket.on("close", () => clearInterval(timer));
}

/** Opens a TCP server that calls `misbehave` once the first bytes of a connection have arrived. */
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
