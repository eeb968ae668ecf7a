// The option `agent`: private authorities, client certificates, proxies and limits, and what happens to its connections.
import { getEventListeners, once } from "node:events";
import { Agent, createServer, type ServerResponse } from "node:http";
import { type AgentOptions, createServer as createTlsServer, Agent as TlsAgent } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { OffersClient, type OffersClientOptions } from "../../src/index.ts";
import { startConnectProxy } from "../support/connect-proxy.ts";
import { input, offer } from "../support/offer.ts";
import { findUnusedUrl, listen } from "../support/serve.ts";
import { createAuthority, serveTls } from "../support/serve-tls.ts";

const apiKey = "key-of-harbour-hotels";
const text = JSON.stringify(offer);
const { ca, ...certificate } = createAuthority();

function createClient(baseUrl: string, options: AgentOptions, clientOptions: Partial<OffersClientOptions> = {}) {
  const agent = new (baseUrl.startsWith("https:") ? TlsAgent : Agent)({ keepAlive: true, ...options });
  onTestFinished(() => agent.destroy());
  return { agent, client: new OffersClient({ baseUrl, apiKey, maxRetries: 1, ...clientOptions, agent }) };
}

test("a private certificate authority is trusted if the agent names it, and TLS sessions are resumed", async () => {
  const reused: boolean[] = [];
  const server = createTlsServer(certificate, (_request, response) => response.end(text)).listen(0, "127.0.0.1");
  server.on("secureConnection", (socket) => reused.push(socket.isSessionReused()));
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { client, agent } = createClient(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, { ca });
  await expect(client.getOffer("a")).resolves.toEqual(offer);
  server.closeAllConnections();
  // The agent notices in a later turn that its idle connection is closed.
  while (Object.keys(agent.freeSockets).length > 0) await turn();
  await expect(client.createOffer(input)).resolves.toEqual({ id: offer.id });
  expect(reused).toEqual([false, true]);
});

test("an untrusted certificate ends the call before the request is sent, without a retry", async () => {
  const { baseUrl, received } = await serveTls(certificate, text);
  const { client } = createClient(baseUrl, {});
  for (const call of [() => client.getOffer("a"), () => client.createOffer(input)])
    await expect(call()).rejects.toMatchObject({ name: "ConnectionError", code: "tls_failed", attempts: 1 });
  expect(received.requestCount).toBe(0);
});

test("the agent's certificate is shown to a server that asks for it", async () => {
  const subjects: unknown[] = [];
  const server = createTlsServer({ ...certificate, ca, requestCert: true }, (request, response) => {
    subjects.push((request.socket as import("node:tls").TLSSocket).getPeerCertificate().subject?.CN);
    response.end(text);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { client } = createClient(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    ca,
    ...certificate,
  });
  await client.getOffer("a");
  expect(subjects).toEqual(["service"]);
});

test("a CONNECT proxy forwards the call and does not see the key", async () => {
  const { baseUrl, received } = await serveTls(certificate, text);
  const { uri, connectRequests } = await startConnectProxy();
  const { client } = createClient(baseUrl, { ca, proxyEnv: { HTTPS_PROXY: uri } });
  await expect(client.getOffer("a")).resolves.toEqual(offer);
  await expect(client.createOffer(input)).resolves.toEqual({ id: offer.id });
  expect(received.keys).toEqual([apiKey, apiKey]);
  expect(new Set(connectRequests.map(({ target }) => target))).toEqual(new Set([new URL(baseUrl).host]));
  expect(JSON.stringify(connectRequests)).not.toContain(apiKey);
});

test("a creation does not use a tunnel that has been idle for 300 ms either, but a read does [D-142]", async () => {
  const { baseUrl } = await serveTls(certificate, text);
  const { uri, connectRequests } = await startConnectProxy();
  const { client } = createClient(baseUrl, { ca, proxyEnv: { HTTPS_PROXY: uri } });
  await client.createOffer(input);
  await pause(350);
  await client.getOffer("a");
  expect(connectRequests).toHaveLength(1);
  await pause(350);
  await client.createOffer(input);
  expect(connectRequests).toHaveLength(2);
});

test.each(["407 Proxy Authentication Required", "502 Bad Gateway"])(
  "a request is known to be unsent if the proxy rejects CONNECT: %s [D-166]",
  async (refusal) => {
    const { uri, connectRequests } = await startConnectProxy(refusal);
    const { client } = createClient("https://service.example", { proxyEnv: { HTTPS_PROXY: uri } });
    const error = await client.createOffer(input).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "connect_failed", attempts: 2 });
    expect((error as Error).message).toContain(refusal.slice(0, 3));
    expect(connectRequests).toHaveLength(2);
  },
);

test("if the proxy is down or the agent is for another protocol, no connection was made", async () => {
  const down = createClient("https://service.example", { proxyEnv: { HTTPS_PROXY: await findUnusedUrl() } });
  await expect(down.client.createOffer(input)).rejects.toMatchObject({ code: "connect_failed", attempts: 2 });
  const client = new OffersClient({ baseUrl: "https://service.example", apiKey, agent: new Agent(), maxRetries: 0 });
  await expect(client.createOffer(input)).rejects.toMatchObject({
    code: "connect_failed",
    message: expect.stringContaining(`Expected "http:"`),
  });
});

test.each([{}, "http://proxy.example", { dispatch: () => true }])("%j is rejected, because it is no agent", (agent) =>
  expect(() => new OffersClient({ baseUrl: "https://service.example", apiKey, agent: agent as never })).toThrow(
    expect.objectContaining({ code: "invalid_option", message: expect.stringContaining("agent") }),
  ),
);

/** Starts a server that records its connections and requests. */
async function startServer(respond: (response: ServerResponse) => unknown) {
  const sockets: Socket[] = [];
  const received = { requestCount: 0 };
  const server = createServer((request, response) => {
    received.requestCount += 1;
    request.resume().on("end", () => respond(response));
  });
  server.on("connection", (socket) => sockets.push(socket));
  return { baseUrl: await listen(server), sockets, server, received };
}

test("maxSockets limits the connections, and calls one after another use the same one", async () => {
  const { baseUrl, sockets } = await startServer((response) => response.end(text));
  const { client } = createClient(baseUrl, { maxSockets: 2 });
  await Promise.all(
    Array.from({ length: 10 }, (_, call) => (call % 2 ? client.getOffer("a") : client.createOffer(input))),
  );
  expect(sockets).toHaveLength(2);
  for (let call = 0; call < 5; call += 1) await client.getOffer("a");
  expect(sockets).toHaveLength(2);
});

test("clients without an agent share their connections [D-165]", async () => {
  const { baseUrl, sockets } = await startServer((response) => response.end(text));
  const client = new OffersClient({ baseUrl, apiKey });
  for (const key of ["a", "b", "c"]) await client.withApiKey(key).getOffer("a");
  expect(sockets).toHaveLength(1);
});

test.each([
  ["before the headers", () => {}],
  ["within the body", (response: ServerResponse) => void response.write("{")],
])(
  "an abort or a timeout %s closes the connection, keeps its reason and leaves no listener",
  async (_when, respond) => {
    const { baseUrl, sockets, server } = await startServer(respond);
    const { client, agent } = createClient(baseUrl, {});
    const controller = new AbortController();
    for (const [options, code] of [
      [{ signal: controller.signal }, "aborted"],
      [{ timeoutMs: 100, maxRetries: 0 }, "timeout"],
    ] as const) {
      const call = client.getOffer("a", options).safe();
      await once(server, "request");
      const closed = new Promise((resolve) =>
        sockets
          .at(-1)
          ?.on("error", () => {})
          .once("close", resolve),
      );
      if (code === "aborted") controller.abort("enough");
      expect(await call).toMatchObject({ error: { code } });
      await closed;
    }
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    // The agent notices in a later turn.
    while (Object.keys(agent.sockets).length > 0) await turn();
    expect(agent.freeSockets).toEqual({});
  },
);

test("a call that is aborted while it waits for a connection is never sent", async () => {
  const { baseUrl, received, server } = await startServer((response) => response.flushHeaders());
  const { client } = createClient(baseUrl, { maxSockets: 1 });
  const [first, second] = [new AbortController(), new AbortController()];
  const firstCall = client.getOffer("a", { signal: first.signal }).safe();
  await once(server, "request");
  const secondCall = client.getOffer("a", { signal: second.signal }).safe();
  second.abort("enough");
  expect(await secondCall).toMatchObject({ error: { code: "aborted" } });
  first.abort();
  await firstCall;
  expect(received.requestCount).toBe(1);
});

test("a response that middleware replaces does not keep its connection busy", async () => {
  const { baseUrl, sockets } = await startServer((response) => response.end(" ".repeat(1_000_000)));
  const { client } = createClient(
    baseUrl,
    { maxSockets: 1 },
    {
      middleware: [
        async (request, next) => {
          const { status, headers } = await next(request);
          return { status, headers: { get: () => headers.get("absent") }, text: async () => text };
        },
      ],
    },
  );
  for (let call = 0; call < 3; call += 1) await expect(client.getOffer("a")).resolves.toEqual(offer);
  expect(sockets).toHaveLength(1);
});

test("a body whose Content-Length is too large closes the connection, although the server never sends it [D-98]", async () => {
  const { baseUrl, sockets } = await startServer((response) => {
    response.writeHead(200, { "content-length": 2_000 }).flushHeaders();
  });
  const { client } = createClient(baseUrl, {}, { maxResponseBytes: 1_000 });
  const call = client.getOffer("a").catch((error: unknown) => error);
  expect(await call).toMatchObject({ code: "response_too_large" });
  await Promise.all(sockets.filter(({ closed }) => !closed).map((socket) => once(socket, "close").catch(() => {})));
});

test("header names are case-insensitive, repeated headers are joined, and an informational response is skipped", async () => {
  const { baseUrl } = await startServer((response) => {
    response.writeEarlyHints({ link: "</style.css>; rel=preload" });
    response.setHeader("X-Request-Id", ["kitchen", "bar"]).end(text);
  });
  const { response } = await createClient(baseUrl, {}).client.getOffer("a").withResponse();
  const names = ["X-REQUEST-ID", "link", "absent"];
  expect([response.status, ...names.map((name) => response.headers.get(name))]).toEqual([
    200,
    "kitchen, bar",
    null,
    null,
  ]);
});
