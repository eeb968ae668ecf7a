// A proxy and a private certificate authority, through `/node` and through undici's own fetch.

import { Agent, type Dispatcher, fetch as fetchFromUndici, ProxyAgent } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { type Fetch, OffersClient } from "../../src/index.ts";
import { undiciFetch } from "../../src/node.ts";
import { startConnectProxy } from "../support/connect-proxy.ts";
import { input, offer } from "../support/offer.ts";
import { findUnusedUrl } from "../support/serve.ts";
import { createAuthority, serveTls } from "../support/serve-tls.ts";

const apiKey = "key-of-harbour-hotels";
const { ca, ...certificate } = createAuthority();
const startService = () => serveTls(certificate, JSON.stringify(offer));

const transports: [string, (dispatcher: Dispatcher) => Fetch][] = [
  ["/node", (dispatcher) => undiciFetch({ dispatcher })],
  ["undici's fetch", (dispatcher) => (url, init) => fetchFromUndici(url, { ...init, dispatcher })],
];

function createClient(baseUrl: string, createFetch: (dispatcher: Dispatcher) => Fetch, dispatcher: Dispatcher) {
  onTestFinished(() => dispatcher.close());
  return new OffersClient({ baseUrl, apiKey, fetch: createFetch(dispatcher), maxRetries: 1 });
}

test.each(transports)(
  "a private certificate authority is trusted if it is configured: %s",
  async (_name, createFetch) => {
    const { baseUrl, received } = await startService();
    const client = createClient(baseUrl, createFetch, new Agent({ connect: { ca } }));
    await expect(client.getOffer("a")).resolves.toEqual(offer);
    expect(received.keys).toEqual([apiKey]);
  },
);

test.each(transports)(
  "an untrusted certificate ends the call before the request is sent, without a retry: %s",
  async (_name, createFetch) => {
    const { baseUrl, received } = await startService();
    const client = createClient(baseUrl, createFetch, new Agent());
    for (const call of [() => client.getOffer("a"), () => client.createOffer(input)])
      await expect(call()).rejects.toMatchObject({ name: "ConnectionError", code: "tls_failed", attempts: 1 });
    expect(received.requestCount).toBe(0);
  },
);

test.each(transports)("a CONNECT proxy forwards the call and does not see the key: %s", async (_name, createFetch) => {
  const { baseUrl, received } = await startService();
  const { uri, connectRequests } = await startConnectProxy();
  const client = createClient(baseUrl, createFetch, new ProxyAgent({ uri, requestTls: { ca } }));
  await expect(client.getOffer("a")).resolves.toEqual(offer);
  await expect(client.createOffer(input)).resolves.toEqual({ id: offer.id });
  expect(received.keys).toEqual([apiKey, apiKey]);
  expect(new Set(connectRequests.map(({ target }) => target))).toEqual(new Set([new URL(baseUrl).host]));
  expect(JSON.stringify(connectRequests)).not.toContain(apiKey);
});

test.each(transports)("a server behind a proxy must have a trusted certificate too: %s", async (_name, createFetch) => {
  const { baseUrl, received } = await startService();
  const { uri } = await startConnectProxy();
  const client = createClient(baseUrl, createFetch, new ProxyAgent(uri));
  await expect(client.getOffer("a")).rejects.toMatchObject({ code: "tls_failed", attempts: 1 });
  expect(received.requestCount).toBe(0);
});

test.each(transports)(
  "if the proxy is down, the call fails because no connection was made: %s",
  async (_name, createFetch) => {
    const client = createClient("https://service.example", createFetch, new ProxyAgent(await findUnusedUrl()));
    await expect(client.createOffer(input)).rejects.toMatchObject({ code: "connect_failed", attempts: 2 });
  },
);

test.each(["407 Proxy Authentication Required", "502 Bad Gateway"])(
  "through /node, a request is known to be unsent if the proxy rejects CONNECT: %s",
  async (refusal) => {
    const { uri, connectRequests } = await startConnectProxy(refusal);
    const createFetch = (dispatcher: Dispatcher) => undiciFetch({ dispatcher });
    const client = createClient("https://service.example", createFetch, new ProxyAgent(uri));
    const error = await client.createOffer(input).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "connect_failed", attempts: 2 });
    expect((error as Error).message).toContain(refusal.slice(0, 3));
    expect(connectRequests).toHaveLength(2);
  },
);
