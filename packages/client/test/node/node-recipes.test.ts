// A proxy and a private certificate authority, through `/node` and through undici's own fetch.

import { Agent, type Dispatcher, fetch as ofUndici, ProxyAgent } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { type Fetch, OffersClient } from "../../src/index.ts";
import { undiciFetch } from "../../src/node.ts";
import { connectProxy } from "../support/connect-proxy.ts";
import { input, offer } from "../support/offer.ts";
import { unusedAddress } from "../support/serve.ts";
import { makeAuthority, serveTls } from "../support/serve-tls.ts";

const apiKey = "key-of-harbour-hotels";
const { ca, ...pair } = makeAuthority();
const service = () => serveTls(pair, JSON.stringify(offer));

const ways: [string, (dispatcher: Dispatcher) => Fetch][] = [
  ["/node", (dispatcher) => undiciFetch({ dispatcher })],
  ["fetch of undici", (dispatcher) => (url, init) => ofUndici(url, { ...init, dispatcher })],
];

function clientOf(baseUrl: string, way: (dispatcher: Dispatcher) => Fetch, dispatcher: Dispatcher) {
  onTestFinished(() => dispatcher.close());
  return new OffersClient({ baseUrl, apiKey, fetch: way(dispatcher), maxRetries: 1 });
}

test.each(ways)("a private certificate authority is trusted if it is given: %s", async (_way, way) => {
  const { baseUrl, seen } = await service();
  const client = clientOf(baseUrl, way, new Agent({ connect: { ca } }));
  await expect(client.getOffer("a")).resolves.toEqual(offer);
  expect(seen.keys).toEqual([apiKey]);
});

test.each(ways)(
  "an untrusted certificate ends the call before the request is sent, without a retry: %s",
  async (_way, way) => {
    const { baseUrl, seen } = await service();
    const client = clientOf(baseUrl, way, new Agent());
    for (const call of [() => client.getOffer("a"), () => client.createOffer(input)])
      await expect(call()).rejects.toMatchObject({ name: "ConnectionError", code: "tls_failed", attempts: 1 });
    expect(seen.requests).toBe(0);
  },
);

test.each(ways)("a CONNECT proxy forwards the call and does not see the key: %s", async (_way, way) => {
  const { baseUrl, seen } = await service();
  const { uri, asked } = await connectProxy();
  const client = clientOf(baseUrl, way, new ProxyAgent({ uri, requestTls: { ca } }));
  await expect(client.getOffer("a")).resolves.toEqual(offer);
  await expect(client.createOffer(input)).resolves.toEqual({ id: offer.id });
  expect(seen.keys).toEqual([apiKey, apiKey]);
  expect(new Set(asked.map(({ target }) => target))).toEqual(new Set([new URL(baseUrl).host]));
  expect(JSON.stringify(asked)).not.toContain(apiKey);
});

test.each(ways)("a server behind a proxy must be trusted too: %s", async (_way, way) => {
  const { baseUrl, seen } = await service();
  const { uri } = await connectProxy();
  const client = clientOf(baseUrl, way, new ProxyAgent(uri));
  await expect(client.getOffer("a")).rejects.toMatchObject({ code: "tls_failed", attempts: 1 });
  expect(seen.requests).toBe(0);
});

test.each(ways)("when the proxy is down, no connection was made: %s", async (_way, way) => {
  const client = clientOf("https://service.example", way, new ProxyAgent(await unusedAddress()));
  await expect(client.createOffer(input)).rejects.toMatchObject({ code: "connect_failed", attempts: 2 });
});

test.each(["407 Proxy Authentication Required", "502 Bad Gateway"])(
  "through /node, a proxy that rejects CONNECT has provably not sent the request: %s",
  async (refusal) => {
    const { uri, asked } = await connectProxy(refusal);
    const way = (dispatcher: Dispatcher) => undiciFetch({ dispatcher });
    const client = clientOf("https://service.example", way, new ProxyAgent(uri));
    const error = await client.createOffer(input).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "connect_failed", attempts: 2 });
    expect((error as Error).message).toContain(refusal.slice(0, 3));
    expect(asked).toHaveLength(2);
  },
);
