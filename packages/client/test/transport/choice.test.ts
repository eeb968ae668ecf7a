// Which transport a program's client uses. Each program runs in its own process, because the choice depends on global state.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startConnectProxy } from "../support/connect-proxy.ts";
import { offer } from "../support/offer.ts";
import { findUnusedUrl, respondWith, serve } from "../support/serve.ts";

/** Runs a program in the package's folder, and returns its last line. */
async function run(program: string, env: Record<string, string> = {}): Promise<unknown> {
  const args = ["--input-type=module", "--no-warnings", "--eval", program];
  const options = { cwd: `${import.meta.dirname}/../..`, env: { ...process.env, ...env } };
  const { stdout } = await promisify(execFile)(process.execPath, args, options);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

/** Returns a program that creates a client, changes something, reads an offer and prints what happened. */
const createProgram = (baseUrl: string, before: string, after = "", options = "{}") => `
  ${before}
  const { OffersClient } = await import("./src/index.ts");
  const logged = [];
  const logger = { debug: ({ transport }) => logged.push(transport), warn: ({ code }) => logged.push(code) };
  const client = new OffersClient({ baseUrl: "${baseUrl}", apiKey: "key", maxRetries: 0, logger, ...${options} });
  ${after}
  const { transport } = client;
  const { data, error } = await client.getOffer("a").safe();
  console.log(JSON.stringify({ transport, title: data?.title ?? error.message, logged }));
  process.exit();`;

const stubOffer = JSON.stringify({ ...offer, title: "Stub" });
const stub = `globalThis.fetch = async () => Response.json(${stubOffer});`;
const mockAgent = (mocks: string) => `
  const { MockAgent, setGlobalDispatcher } = await import("undici");
  const mocks = new MockAgent();
  mocks.disableNetConnect();
  setGlobalDispatcher(mocks);
  ${mocks}`;
const mockServer = `
  const { setupServer } = await import("msw/node");
  const { http, HttpResponse } = await import("msw");
  setupServer(http.get("*/offer/a", () => HttpResponse.json(${stubOffer}))).listen();`;
const wrapFetch = `
  const original = globalThis.fetch;
  globalThis.fetch = Object.assign(function fetch(input, init = undefined) { return original(input, init); }, { __nextPatched: true });`;
const reachService = { title: offer.title, requestCount: 1 };
const reachStub = { title: "Stub", requestCount: 0 };

test.each<[string, before: string, after: string, expected: object]>([
  ["nothing", "", "", { transport: "node:http", ...reachService }],
  ["a call to fetch", `await fetch("data:,x");`, "", { transport: "node:http", ...reachService }],
  ["a stub of fetch before the import", stub, "", { transport: "fetch", ...reachStub }],
  ["a stub of fetch after the import", "", stub, { transport: "fetch", ...reachStub }],
  ["a wrapper around fetch, as Next and tracers install it", wrapFetch, "", { transport: "fetch", ...reachService }],
  ["an import of undici", `await import("undici");`, "", { transport: "fetch", ...reachService }],
  ["Mock Service Worker before the import", mockServer, "", { transport: "fetch", ...reachStub }],
  ["Mock Service Worker after the import", "", mockServer, { transport: "fetch", ...reachStub }],
  [
    "an agent of Node's own undici with other options",
    `await fetch("data:,x");
    const slots = [1, 2].map((version) => Symbol.for("undici.globalDispatcher." + version));
    const slot = slots.find((slot) => globalThis[slot]?.constructor.name === "Agent");
    globalThis[slot] = new globalThis[slot].constructor({ connect: { timeout: 99 } });`,
    "",
    { transport: "fetch", ...reachService },
  ],
  [
    "a tracer that subscribes to undici's channel",
    "",
    `(await import("node:diagnostics_channel")).subscribe("undici:request:create", () => {});`,
    { transport: "fetch", ...reachService },
  ],
  [
    "a tool that replaces http.request",
    "",
    `const http = (await import("node:http")).default;
    http.request = () => { throw new Error("replaced"); };`,
    { transport: "node:http", title: expect.stringContaining("replaced"), requestCount: 0 },
  ],
])(
  "with %s, the client uses the transport that a request through fetch would need [D-165]",
  async (_what, before, after, expected) => {
    const { baseUrl, received } = await serve(respondWith(200, JSON.stringify(offer)));
    const { logged, ...result } = (await run(createProgram(baseUrl, before, after))) as {
      transport: string;
      logged: string[];
    };
    expect({ ...result, requestCount: received.length }).toEqual(expected);
    if (received.length > 0) expect(logged).toEqual([result.transport]);
  },
);

test("with undici's MockAgent as the global dispatcher, no request leaves the process [D-165]", async () => {
  const { baseUrl, received } = await serve(respondWith(200, JSON.stringify(offer)));
  const intercept = `mocks.get("${baseUrl}").intercept({ path: /offer/ }).reply(200, ${stubOffer});`;
  expect(await run(createProgram(baseUrl, mockAgent(intercept)))).toMatchObject({ transport: "fetch", title: "Stub" });
  const blocked = createProgram(baseUrl, "", mockAgent(""));
  expect(await run(blocked)).toMatchObject({ transport: "fetch", title: expect.stringContaining("GetOffer") });
  expect(received).toEqual([]);
});

test("an agent is used even if fetch has been replaced, and a fetch option even with an agent [D-165]", async () => {
  const { baseUrl, received } = await serve(respondWith(200, JSON.stringify(offer)));
  const agent = `new (await import("node:http")).Agent()`;
  const withAgent = createProgram(baseUrl, stub, "", `{ agent: ${agent} }`);
  expect(await run(withAgent)).toMatchObject({ transport: "node:http", title: offer.title });
  const withBoth = createProgram(
    baseUrl,
    stub,
    "",
    `{ agent: ${agent}, fetch: (...args) => globalThis.fetch(...args) }`,
  );
  expect(await run(withBoth)).toMatchObject({ transport: "fetch", title: "Stub" });
  expect(received).toHaveLength(1);
});

test("the proxy variables apply exactly if Node's fetch honours them [D-165]", async () => {
  const { uri, connectRequests } = await startConnectProxy("502 Bad Gateway");
  const program = createProgram("https://service.example", "", "", "{ timeoutMs: 5_000 }");
  const env = { HTTPS_PROXY: uri, NO_PROXY: "", no_proxy: "", https_proxy: "", NODE_EXTRA_CA_CERTS: "" };
  expect(await run(program, { ...env, NODE_USE_ENV_PROXY: "1" })).toMatchObject({
    transport: "node:http",
    title: expect.stringMatching(/no connection was made.*502/),
  });
  expect(connectRequests.map(({ target }) => target)).toEqual(["service.example:443"]);
  const unused = createProgram((await findUnusedUrl()).replace("http:", "https:"), "");
  expect(await run(unused, env)).toMatchObject({ transport: "node:http", logged: ["connect_failed"] });
  expect(connectRequests).toHaveLength(1);
});

test("idle connections do not keep a process running", async () => {
  const { baseUrl } = await serve((response) =>
    response.setHeader("keep-alive", "timeout=600").end(JSON.stringify(offer)),
  );
  const program = createProgram(baseUrl, "").replace("process.exit();", "");
  expect(await run(program)).toMatchObject({ transport: "node:http", title: offer.title });
});
