import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createOutbound, type OutboundOptions } from "../../src/outbound/create-outbound.ts";
import type { OutboundRequest, OutboundResult } from "../../src/outbound/outbound.ts";
import { searchSuggestions } from "../../src/outbound/search-suggestions.ts";
import { testEndpoint } from "../../src/outbound/test-endpoint.ts";
import { answerWith, hang, hangUp, openReceiver, type Receiver } from "../support/receiver.ts";

async function sendOnce(
  options: OutboundOptions,
  request: Partial<OutboundRequest> & { baseAddress: string },
): Promise<OutboundResult> {
  const outbound = createOutbound(options);
  try {
    return await outbound.send({ method: "GET", path: "/test", timeoutMs: 5_000, ...request });
  } finally {
    await outbound.close();
  }
}

describe("requests to an integrator", () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await openReceiver();
  });
  afterEach(() => receiver.close());

  const send = (request: Partial<OutboundRequest> = {}) =>
    sendOnce({ allowLoopback: true }, { baseAddress: receiver.baseAddress, ...request });

  test("carry JSON and headers, and bring the answer back", async () => {
    receiver.answer = answerWith(201, { "content-type": "text/plain" }, "hello");
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
    receiver.answer = answerWith(302, { location: "/elsewhere" });
    expect(await send()).toMatchObject({ ok: true, status: 302 });
    expect(receiver.requests).toHaveLength(1);
  });

  test("are not sent when they are larger than 256 kB", async () => {
    expect(await send({ method: "POST", body: "x".repeat(256 * 1024) })).toMatchObject({
      ok: false,
      code: "request_too_large",
    });
    expect(receiver.requests).toHaveLength(0);
  });

  test("read 64 kB of an answer that never ends", async () => {
    receiver.answer = (_, response) => {
      response.writeHead(200);
      const pour = (): boolean => response.writable && response.write("x".repeat(16_384), () => setImmediate(pour));
      pour();
    };
    const result = await send();
    expect(result).toMatchObject({ ok: true, status: 200, truncated: true });
    expect(result.ok && result.body.length).toBe(65_536);
  });

  test("fail by name when the connection is closed without an answer", async () => {
    receiver.answer = hangUp;
    expect(await send()).toMatchObject({ ok: false, code: "connection_lost" });
  });

  test("fail by name when nobody listens", async () => {
    const { baseAddress } = receiver;
    const gone = await openReceiver();
    await gone.close();
    expect(await send({ baseAddress: gone.baseAddress })).toMatchObject({ ok: false, code: "connection_refused" });
    expect(await send({ baseAddress })).toMatchObject({ ok: true });
  });

  test.each(["ftp://127.0.0.1", "not an address"])("fail by name for the base address %j", async (baseAddress) =>
    expect(await send({ baseAddress })).toMatchObject({ ok: false, code: "invalid_address" }),
  );

  test("fail by name when the answer is not HTTP, or not over https", async () => {
    const server = await openRawServer((socket) => socket.end("220 smtp.example.com ESMTP\r\n"));
    expect(await send({ baseAddress: server.baseAddress })).toMatchObject({ ok: false, code: "protocol_error" });
    const https = server.baseAddress.replace("http:", "https:");
    expect(await send({ baseAddress: https })).toMatchObject({ ok: false, code: "tls_failed" });
    await server.close();
  });

  // Each keeps the connection busy in its own way; the deadline is that of the whole attempt.
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

test("an attempt that is stopped ends at once, before its deadline", async () => {
  const receiver = await openReceiver(hang);
  const stop = new AbortController();
  const { baseAddress } = receiver;
  const result = sendOnce({ allowLoopback: true }, { baseAddress, timeoutMs: 60_000, signal: stop.signal });
  while (receiver.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  expect(await result).toMatchObject({ ok: false, code: "aborted" });
  const late = await sendOnce({ allowLoopback: true }, { baseAddress, signal: stop.signal });
  expect([late.ok, receiver.requests.length]).toEqual([false, 1]);
  await receiver.close();
});

describe("addresses that are not public", () => {
  let receiver: Receiver;
  let connections = 0;
  beforeEach(async () => {
    receiver = await openReceiver();
    connections = 0;
  });
  afterEach(() => receiver.close());
  const port = () => new URL(receiver.baseAddress).port;

  // Spellings that the URL parser, the resolver or the kernel understand as this machine or a private network.
  const hosts = [
    ...[
      "127.0.0.1",
      "127.1",
      "127.0.1",
      "2130706433",
      "0x7f000001",
      "0x7f.1",
      "0177.0.0.1",
      "017700000001",
      "0",
      "0.0.0.0",
    ],
    ...[
      "127.0.0.1.",
      "①②⑦.0.0.1",
      "127。0。0。1",
      "[::1]",
      "[::]",
      "[::127.0.0.1]",
      "[::ffff:127.0.0.1]",
      "[::ffff:7f00:1]",
    ],
    ...["[0:0:0:0:0:ffff:7f00:0001]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "localhost", "LOCALHOST"],
    ...["10.0.0.1", "192.168.1.1", "172.16.0.1", "169.254.169.254", "[fe80::1]", "[fd00:ec2::254]", "100.100.100.200"],
  ];
  test.each(hosts.flatMap((host) => [`http://${host}`, `https://${host}`]))("are refused: %s", async (origin) => {
    const result = await sendOnce({ connectTimeoutMs: 1_000 }, { baseAddress: `${origin}:${port()}` });
    expect(result).toMatchObject({ ok: false, code: "forbidden_address" });
    expect(receiver.requests).toHaveLength(0);
    expect(result).toMatchObject({ reason: expect.not.stringMatching(/127|10\.|::/) });
  });

  test("are refused when one of a name's answers is among them", async () => {
    const resolve = async () => {
      connections += 1;
      return [
        { address: "8.8.8.8", family: 4 },
        { address: "127.0.0.1", family: 4 },
      ];
    };
    const result = await sendOnce({ resolve }, { baseAddress: `http://mixed.example:${port()}` });
    expect(result).toMatchObject({ ok: false, code: "forbidden_address" });
    expect(connections).toBe(1);
    expect(receiver.requests).toHaveLength(0);
  });

  test("are not reached by a name that changes its answer after the check", async () => {
    const answers = [{ address: "127.0.0.1", family: 4 }];
    const resolve = async () => answers.splice(0, 1);
    const result = await sendOnce(
      { allowLoopback: true, resolve },
      { baseAddress: `http://rebinding.example:${port()}` },
    );
    expect(result).toMatchObject({ ok: true, status: 200 });
    expect(receiver.requests[0]?.headers.host).toBe(`rebinding.example:${port()}`);
    expect(answers).toEqual([]);
  });

  test("names without an answer fail by name", async () => {
    const resolve = () => Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }));
    expect(await sendOnce({ resolve }, { baseAddress: "http://nowhere.example" })).toMatchObject({
      ok: false,
      code: "name_not_found",
    });
    expect(await sendOnce({ resolve: async () => [] }, { baseAddress: "http://nowhere.example" })).toMatchObject({
      ok: false,
    });
  });

  // Codes of https://nodejs.org/api/errors.html, https://nodejs.org/api/dns.html#error-codes and
  // https://nodejs.org/api/tls.html#x509-certificate-error-codes
  test.each([
    ["name_not_found", { code: "EAI_FAIL", syscall: "getaddrinfo" }],
    ["name_not_found", { code: "EINVAL", syscall: "getaddrinfo" }],
    ["connection_refused", { code: "EADDRNOTAVAIL" }],
    ["connection_lost", { code: "ECONNABORTED" }],
    ["connection_lost", { code: "ENEVERHEARDOF" }],
    ["tls_failed", { code: "INVALID_CA" }],
    ["tls_failed", { code: "INVALID_PURPOSE" }],
    ["tls_failed", { code: "PATH_LENGTH_EXCEEDED" }],
    ["tls_failed", { code: "CRL_HAS_EXPIRED" }],
    ["tls_failed", { code: "ERROR_IN_CERT_NOT_AFTER_FIELD" }],
  ])("fail by the name %s when the connection fails with %o", async (code, fields) => {
    const resolve = () => Promise.reject(Object.assign(new Error("at 10.1.2.3"), fields));
    expect(await sendOnce({ resolve }, { baseAddress: "http://broken.example" })).toMatchObject({
      ok: false,
      code,
      reason: expect.not.stringContaining("10.1.2.3"),
    });
  });

  test("of a host name that is too long fail by name", async () => {
    const baseAddress = `http://${"a".repeat(300)}.example`;
    expect(await sendOnce({}, { baseAddress })).toMatchObject({ ok: false, code: "name_not_found" });
  });

  test("a mistake of our own is no failure of the other side", async () => {
    const resolve = () => Promise.reject(new TypeError("not a function"));
    await expect(sendOnce({ resolve }, { baseAddress: "http://broken.example" })).rejects.toThrow("not a function");
  });

  test("private networks stay refused with the development switch", async () => {
    const result = await sendOnce({ allowLoopback: true }, { baseAddress: "http://169.254.169.254" });
    expect(result).toMatchObject({ ok: false, code: "forbidden_address" });
  });
});

describe("the two tests of a base address", () => {
  const sign = (secret: string) => ({ authorization: `test ${secret}` });
  const run = async (receiver: Receiver) => {
    const outbound = createOutbound({ allowLoopback: true });
    const result = await testEndpoint(outbound, sign, {
      baseAddress: `${receiver.baseAddress}/p/`,
      scheme: "timestampDigest",
      secret: "s3cret",
    });
    await outbound.close();
    await receiver.close();
    return result;
  };

  test("pass when both are answered with 200; only the second is signed", async () => {
    const receiver = await openReceiver();
    const result = await run(receiver);
    expect(result).toMatchObject({
      passed: true,
      checks: [
        { method: "GET", path: "/test", passed: true, status: 200 },
        { method: "GET", path: "/test/auth", passed: true, status: 200 },
      ],
    });
    expect(receiver.requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ["/p/test", undefined],
      ["/p/test/auth", "test s3cret"],
    ]);
  });

  test.each([201, 204, 301, 400, 401, 403, 404, 500])("do not pass with %i from the second", async (status) => {
    const receiver = await openReceiver((request, reply) =>
      answerWith(request.url.endsWith("/auth") ? status : 200)(request, reply),
    );
    expect(await run(receiver)).toMatchObject({
      passed: false,
      checks: [
        { passed: true },
        { passed: false, status, reason: expect.stringContaining(`responded with ${status}`) },
      ],
    });
  });

  test("say what failed when no answer comes", async () => {
    const receiver = await openReceiver(hangUp);
    const result = await run(receiver);
    expect(result.passed).toBe(false);
    expect(result.checks).toMatchObject([{ failure: "connection_lost" }, { failure: "connection_lost" }]);
    expect(JSON.stringify(result)).not.toContain("s3cret");
  });
});

test("a search for suggestions is a signed POST, whose answer comes back as it is", async () => {
  const receiver = await openReceiver(answerWith(200, { "content-type": "application/json" }, "[nonsense"));
  const outbound = createOutbound({ allowLoopback: true });
  const sign = async (secret: string) => ({ authorization: `test ${secret}` });
  const endpoint = { baseAddress: receiver.baseAddress, scheme: "timestampDigest", secret: "s3cret" } as const;
  const profile = { ...endpoint, userEmailAddresses: ["a@example.com"] };
  const result = await searchSuggestions(outbound, sign, profile);
  expect(result.ok && result.body.toString()).toBe("[nonsense");
  await searchSuggestions(outbound, sign, { ...profile, filter: "cook" });
  expect(receiver.requests.map(({ method, url, body }) => [method, url, JSON.parse(body)])).toEqual([
    ["POST", "/contact-suggestions", { userEmailAddresses: ["a@example.com"] }],
    ["POST", "/contact-suggestions", { filter: "cook", userEmailAddresses: ["a@example.com"] }],
  ]);
  receiver.answer = hang;
  const slow = searchSuggestions(outbound, sign, { ...profile, timeoutMs: 300 });
  expect(await slow).toMatchObject({ ok: false, code: "timeout", reason: expect.stringContaining("300 ms") });
  await outbound.close();
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
