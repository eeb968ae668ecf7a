// Users' mistakes, each with the exact message that the client shows.
import { expect, test } from "vitest";
import { type AnyOffersError, type Fetch, OffersClient, type OffersClientOptions } from "../../src/index.ts";
import { createTestService } from "../../src/testing.ts";
import { createProblemStarter, createStarter, jsonHeaders, type Mistake, startTcpServer } from "../support/mistake.ts";
import { input, offer } from "../support/offer.ts";
import { findUnusedUrl, serve } from "../support/serve.ts";
import { createAuthority, serveTls } from "../support/serve-tls.ts";

const apiKey = "key-of-harbour-hotels";
const read = (client: OffersClient) => client.getOffer("offer_4f1c2a");
const create = (client: OffersClient) => client.createOffer(input);
const https = (url: string) => url.replace("http:", "https:");
const startUntrustedService = async () => (await serveTls(createAuthority(), "")).baseUrl;
const service = createTestService();
const serviceOptions = { fetch: service.fetch, baseUrl: service.baseUrl, apiKey: service.apiKey };
const envHint = "is the environment variable set?";
const baseUrlRule = "it must be https, or http on loopback";

const mistakes: Mistake[] = [
  {
    description: "no baseUrl",
    options: { baseUrl: undefined },
    code: "invalid_base_url",
    message: `baseUrl is undefined; ${envHint}`,
  },
  {
    description: "a baseUrl without a scheme",
    options: { baseUrl: "service.example" },
    code: "invalid_base_url",
    message: `baseUrl lacks https://; ${baseUrlRule}`,
  },
  {
    description: "a baseUrl with http",
    options: { baseUrl: "http://service.example" },
    code: "invalid_base_url",
    message: `baseUrl uses http for another host; ${baseUrlRule}`,
  },
  {
    description: "a baseUrl with a password",
    options: { baseUrl: "https://hana:secret@service.example" },
    code: "invalid_base_url",
    message: `baseUrl contains credentials; ${baseUrlRule}`,
  },
  {
    description: "a baseUrl with a query",
    options: { baseUrl: "https://service.example?tenant=1" },
    code: "invalid_base_url",
    message: `baseUrl contains "?" or "#"; ${baseUrlRule}`,
  },
  {
    description: "a baseUrl with a line break",
    options: { baseUrl: "https://service.example\n" },
    code: "invalid_base_url",
    message: `baseUrl contains white space; ${baseUrlRule}`,
  },
  {
    description: "a key with a line break",
    options: { apiKey: "key\n" },
    code: "invalid_api_key",
    message: "apiKey has white space around it",
  },
  {
    description: "a masked key",
    options: { apiKey: "ok_••••" },
    code: "invalid_api_key",
    message: "apiKey is not printable ASCII",
  },
  {
    description: "a key that is not set",
    options: { apiKey: "" },
    code: "invalid_api_key",
    message: `apiKey is ""; ${envHint}`,
  },
  {
    description: "an option from another library",
    options: { timeout: 5_000 },
    code: "invalid_option",
    message:
      /^unknown option "timeout"; did you mean timeoutMs\? options: baseUrl, apiKey, apiKeyHeader, apiVersion, timeoutMs, .*userAgent$/,
  },
  {
    description: "a logger without methods",
    options: { logger: {} },
    code: "invalid_option",
    message: "logger.debug must be of type function, not undefined",
  },
  {
    description: "an unknown call option",
    call: (client) => client.getOffer("a", { retries: 3 } as never),
    code: "invalid_option",
    message:
      'GetOffer: unknown option "retries"; did you mean maxRetries? options: timeoutMs, totalTimeoutMs, maxRetries, signal, idempotencyKey, headers',
  },
  {
    description: "a creation without input",
    call: (client) => client.createOffer(undefined as never),
    code: "invalid_argument",
    message: "CreateOffer: input must be of type Object, not undefined",
  },
  {
    description: "a creation without a title",
    options: serviceOptions,
    call: (client) => client.createOffer({ createdByUserId: "user_hana", workerIds: ["worker_amal"] } as never),
    code: "bad_request",
    message:
      "CreateOffer at offers.test: 400; The request is not valid; 1 field is not valid; see errors; title: Add this field; it is required; change the request",
  },
  {
    description: "a time without a zone",
    call: (client) => client.createOffer({ ...input, events: [{ start: "2099-05-01T18:00", end: new Date() }] }),
    code: "invalid_time",
    message:
      "CreateOffer: events[0].start must be a Date or a time with an offset (+02:00), with seconds up to 59 and a year from 0000 to 9999 in UTC",
  },
  {
    description: "a missing id",
    call: (client) => client.getOffer(undefined as never),
    code: "invalid_id",
    message: "GetOffer: id must be an offer id, not undefined",
  },
  {
    description: "an id that was not awaited",
    call: (client) => client.getOffer(Promise.resolve("offer_1") as never),
    code: "invalid_id",
    message: "GetOffer: id must be an offer id, not Promise",
  },
  {
    description: "an offer instead of its id",
    call: (client) => client.getOffer({ id: "offer_1" } as never),
    code: "invalid_id",
    message: "GetOffer: id must be an offer id, not Object",
  },
  {
    description: "an empty id",
    call: (client) => client.getOffer(""),
    code: "invalid_id",
    message: "GetOffer: id must be an offer id, not an empty string, dots or invalid Unicode",
  },
  {
    description: "one worker instead of a list",
    call: (client) => client.completeOffer("a", "worker_amal" as never),
    code: "invalid_argument",
    message: "CompleteOffer: workerIds must be of type Array, not string",
  },
  {
    description: "a host name that does not resolve",
    options: { baseUrl: "https://service.invalid", maxRetries: 0 },
    call: read,
    code: "connect_failed",
    message:
      /^GetOffer at service\.invalid: no connection was made; check baseUrl and the network \(.*(ENOTFOUND|EAI_AGAIN)/,
  },
  {
    description: "a port at which nothing listens",
    startService: findUnusedUrl,
    call: create,
    code: "connect_failed",
    message: /^CreateOffer at HOST: no connection was made; check baseUrl and the network \(.*ECONNREFUSED/,
  },
  {
    description: "a port that fetch blocks",
    options: { baseUrl: "http://127.0.0.1:1", fetch: ((url, init) => fetch(url, init)) satisfies Fetch },
    call: read,
    code: "port_blocked",
    message: /^GetOffer at 127\.0\.0\.1:1: fetch blocks this port \(.*bad port\)$/,
  },
  {
    description: "a connection that is reset",
    startService: async () => (await serve((response) => void response.destroy())).baseUrl,
    call: create,
    code: "connection_lost",
    message: /^CreateOffer at HOST: the connection was lost; the request may have been received \(/,
  },
  {
    description: "http to an https port",
    startService: async () => (await startUntrustedService()).replace("https:", "http:"),
    call: read,
    code: "connection_lost",
    message: /^GetOffer at HOST: the connection was lost; the request may have been received \(/,
  },
  {
    description: "https to an http port",
    startService: async () => https(await createStarter(200)()),
    call: read,
    code: "tls_failed",
    message: /^GetOffer at HOST: no TLS connection was made; the port expects http \(ERR_SSL_[A-Z_]+\)$/,
  },
  {
    description: "a certificate from an unknown authority",
    startService: startUntrustedService,
    call: read,
    code: "tls_failed",
    message:
      /^GetOffer at HOST: no TLS connection was made; for a private certificate, set NODE_EXTRA_CA_CERTS \([A-Z_]*(CERT|LEAF)[A-Z_]*\)$/,
  },
  {
    description: "a response that is not HTTP",
    startService: () => startTcpServer((socket) => void socket.end("220 mail.example ESMTP\r\n")),
    call: read,
    code: "connection_lost",
    message: /^GetOffer at HOST: the connection was lost; the request may have been received \(.*HTTP/,
  },
  {
    description: "an invalid key",
    startService: createProblemStarter(401, { title: "The API key is missing or invalid" }),
    call: read,
    code: "unauthenticated",
    message: "GetOffer at HOST: 401; The API key is missing or invalid; check apiKey and baseUrl",
  },
  {
    description: "a key without permission",
    startService: createStarter(403),
    call: create,
    code: "forbidden",
    message: "CreateOffer at HOST: 403; check apiKey",
  },
  {
    description: "an id that the service does not know",
    startService: createProblemStarter(404, { title: "No such offer", detail: "You have no offer with this id." }),
    call: read,
    code: "not_found",
    message: "GetOffer at HOST: 404; No such offer; You have no offer with this id; check the id, apiKey and baseUrl",
  },
  {
    description: "a wrong path in baseUrl, for a creation",
    options: { ...serviceOptions, baseUrl: `${service.baseUrl}/api/v1` },
    call: create,
    code: "not_found",
    message: "CreateOffer at offers.test: 404; Not found; Check the path; check baseUrl",
  },
  {
    description: "a wrong path in baseUrl, for a read",
    options: { ...serviceOptions, baseUrl: `${service.baseUrl}/api/v1` },
    call: read,
    code: "not_found",
    message: "GetOffer at offers.test: 404; Not found; Check the path; check the id, apiKey and baseUrl",
  },
  {
    description: "a baseUrl that ends with an operation's path, for a creation",
    options: { ...serviceOptions, baseUrl: `${service.baseUrl}/offer` },
    call: create,
    code: "bad_request",
    message: "CreateOffer at offers.test: 405; Method not allowed; Allowed methods: GET, HEAD; check baseUrl",
  },
  {
    description: "a 404 from another server",
    startService: createStarter(404, "<h1>Not Found</h1>"),
    call: read,
    code: "not_found",
    message: "GetOffer at HOST: 404; check the id, apiKey and baseUrl",
  },
  {
    description: "an offer that is already complete",
    startService: createProblemStarter(409, { title: "The offer is already complete" }),
    call: (client) => client.completeOffer("a", ["worker_amal"]),
    code: "conflict",
    message: "CompleteOffer at HOST: 409; The offer is already complete; read the offer",
  },
  {
    description: "too many requests",
    startService: createProblemStarter(429, { title: "Too many requests" }, { "retry-after": "3600" }),
    call: read,
    code: "rate_limited",
    message: "GetOffer at HOST: 429; Too many requests; try later",
  },
  {
    description: "a service that fails",
    startService: createStarter(503, "", { "retry-after": "120" }),
    call: (client) => client.withdrawOffer("a"),
    code: "server_error",
    message: "WithdrawOffer at HOST: 503; try later",
  },
  {
    description: "a web page instead of the service",
    startService: createStarter(200, "<!doctype html><title>Sign in</title>", {
      "content-type": "text/html; charset=utf-8",
    }),
    call: read,
    code: "invalid_response",
    message: "GetOffer at HOST: 200; the body is HTML, not JSON; check baseUrl",
  },
  {
    description: "broken JSON",
    startService: createStarter(200, '{"id":"offer_4f1c2a",', jsonHeaders),
    call: read,
    code: "invalid_response",
    message: "GetOffer at HOST: 200; the body is not JSON; check baseUrl",
  },
  {
    description: "another media type",
    startService: createStarter(200, "id: offer_4f1c2a", { "content-type": "application/yaml" }),
    call: read,
    code: "invalid_response",
    message: "GetOffer at HOST: 200; the body is not JSON; check baseUrl",
  },
  {
    description: "an empty body",
    startService: createStarter(200, "", jsonHeaders),
    call: read,
    code: "invalid_response",
    message: "GetOffer at HOST: 200; the body is not JSON; check baseUrl",
  },
  {
    description: "an offer without its recipients",
    startService: createStarter(200, JSON.stringify({ ...offer, recipients: undefined }), jsonHeaders),
    call: read,
    code: "invalid_response",
    message: "GetOffer at HOST: 200; recipients must be of type Array, not undefined; check baseUrl",
  },
  {
    description: "a response that is too large",
    startService: createStarter(200, JSON.stringify(offer), jsonHeaders),
    options: { maxResponseBytes: 100 },
    call: read,
    code: "response_too_large",
    message: "GetOffer at HOST: 200; the body exceeds maxResponseBytes (100); check baseUrl",
  },
  {
    description: "a redirect",
    startService: createStarter(301, "", { location: "https://www.service.example/offer" }),
    call: read,
    code: "unexpected_redirect",
    message: "GetOffer at HOST: 301; redirects are not followed; check baseUrl",
  },
  {
    description: "an attempt that takes too long",
    startService: async () => (await serve(() => {})).baseUrl,
    options: { timeoutMs: 40, maxRetries: 0 },
    call: read,
    code: "timeout",
    message: "GetOffer at HOST: no response within 40 ms; see timeoutMs and totalTimeoutMs",
  },
  {
    description: "a call that takes too long in total",
    startService: async () => (await serve(() => {})).baseUrl,
    options: { totalTimeoutMs: 40 },
    call: read,
    code: "timeout",
    message: "GetOffer at HOST: no response within 40 ms; see timeoutMs and totalTimeoutMs",
  },
  {
    description: "an apiKey function that takes too long",
    startService: createStarter(200),
    options: { totalTimeoutMs: 40, apiKey: () => new Promise(() => {}) },
    call: read,
    code: "timeout",
    message: "GetOffer: no response within 40 ms; see timeoutMs and totalTimeoutMs",
  },
  {
    description: "middleware that throws",
    startService: createStarter(200),
    options: { middleware: [() => Promise.reject(new Error("no token"))] },
    call: read,
    code: "middleware_failed",
    message: "GetOffer at HOST: the middleware failed (Error: no token)",
  },
];

test.each(mistakes)(
  "the message about $description contains the operation, the problem and the remedy [D-97]",
  async (mistake) => {
    const { startService, options = {}, call = read, code, message: expected } = mistake;
    const baseUrl = (await startService?.()) ?? "https://service.example";
    const error: AnyOffersError = await Promise.resolve()
      .then(() => call(new OffersClient({ baseUrl, apiKey, ...options } as OffersClientOptions)))
      .then(
        () => expect.unreachable(),
        (thrown) => thrown,
      );
    const message = startService ? error.message.replace(new URL(baseUrl).host, "HOST") : error.message;
    expect(error.code).toBe(code);
    if (typeof expected === "string") expect(message).toBe(expected);
    else expect(message).toMatch(expected);
    expect(error.message).not.toContain(apiKey);
  },
);

test("at least thirty mistakes are tested", () => expect(mistakes.length).toBeGreaterThanOrEqual(30));
