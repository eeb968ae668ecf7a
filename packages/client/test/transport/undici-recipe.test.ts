// The recipe in the README: undici's fetch with a dispatcher, for a proxy or a private certificate authority.

import { Agent, type Dispatcher, fetch as fetchFromUndici, ProxyAgent } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { type Fetch, OffersClient } from "../../src/index.ts";
import { startConnectProxy } from "../support/connect-proxy.ts";
import { input, offer } from "../support/offer.ts";
import { findUnusedUrl } from "../support/serve.ts";
import { createAuthority, serveTls } from "../support/serve-tls.ts";

const apiKey = "key-of-harbour-hotels";
const { ca, ...certificate } = createAuthority();
const startService = () => serveTls(certificate, JSON.stringify(offer));

function createClient(baseUrl: string, dispatcher: Dispatcher) {
  onTestFinished(() => dispatcher.close());
  const fetch: Fetch = (url, init) => fetchFromUndici(url, { ...init, dispatcher });
  return new OffersClient({ baseUrl, apiKey, fetch, maxRetries: 1 });
}

test("a private certificate authority is trusted if it is configured", async () => {
  const { baseUrl, received } = await startService();
  const client = createClient(baseUrl, new Agent({ connect: { ca } }));
  await expect(client.getOffer("a")).resolves.toEqual(offer);
  expect(received.keys).toEqual([apiKey]);
});

test("an untrusted certificate ends the call before the request is sent, without a retry", async () => {
  const { baseUrl, received } = await startService();
  const client = createClient(baseUrl, new Agent());
  for (const call of [() => client.getOffer("a"), () => client.createOffer(input)])
    await expect(call()).rejects.toMatchObject({ name: "ConnectionError", code: "tls_failed", attempts: 1 });
  expect(received.requestCount).toBe(0);
});

test("a CONNECT proxy forwards the call and does not see the key", async () => {
  const { baseUrl, received } = await startService();
  const { uri, connectRequests } = await startConnectProxy();
  const client = createClient(baseUrl, new ProxyAgent({ uri, requestTls: { ca } }));
  await expect(client.getOffer("a")).resolves.toEqual(offer);
  await expect(client.createOffer(input)).resolves.toEqual({ id: offer.id });
  expect(received.keys).toEqual([apiKey, apiKey]);
  expect(new Set(connectRequests.map(({ target }) => target))).toEqual(new Set([new URL(baseUrl).host]));
  expect(JSON.stringify(connectRequests)).not.toContain(apiKey);
});

test("a server behind a proxy must have a trusted certificate too", async () => {
  const { baseUrl, received } = await startService();
  const { uri } = await startConnectProxy();
  const client = createClient(baseUrl, new ProxyAgent(uri));
  await expect(client.getOffer("a")).rejects.toMatchObject({ code: "tls_failed", attempts: 1 });
  expect(received.requestCount).toBe(0);
});

test("if the proxy is down, the call fails because no connection was made", async () => {
  const client = createClient("https://service.example", new ProxyAgent(await findUnusedUrl()));
  await expect(client.createOffer(input)).rejects.toMatchObject({ code: "connect_failed", attempts: 2 });
});
