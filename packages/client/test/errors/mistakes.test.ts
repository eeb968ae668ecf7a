// A table of users' mistakes and the client's messages, which are written by hand.
import { expect, test } from "vitest";
import { type AnyOffersError, OffersClient, type OffersClientOptions } from "../../src/index.ts";
import { createTestService } from "../../src/testing.ts";
import { json, type Mistake, problem, responding, speaking } from "../support/mistake.ts";
import { input, offer } from "../support/offer.ts";
import { serve, unusedAddress } from "../support/serve.ts";
import { makeAuthority, serveTls } from "../support/serve-tls.ts";

const apiKey = "key-of-harbour-hotels";
const read = (client: OffersClient) => client.getOffer("offer_4f1c2a");
const create = (client: OffersClient) => client.createOffer(input);
const https = (url: string) => url.replace("http:", "https:");
const wrongName = async () => (await serveTls(makeAuthority(), "")).baseUrl;
const service = createTestService();
const ofTheService = { fetch: service.fetch, baseUrl: service.baseUrl, apiKey: service.apiKey };
const isSet = "is the environment variable set?";
const rule = "it must be https, or http on loopback";

const mistakes: Mistake[] = [
  {
    what: "no baseUrl",
    options: { baseUrl: undefined },
    code: "invalid_base_url",
    says: `baseUrl is undefined; ${isSet}`,
  },
  {
    what: "a baseUrl without a scheme",
    options: { baseUrl: "service.example" },
    code: "invalid_base_url",
    says: `baseUrl lacks https://; ${rule}`,
  },
  {
    what: "a baseUrl with http",
    options: { baseUrl: "http://service.example" },
    code: "invalid_base_url",
    says: `baseUrl uses http for another host; ${rule}`,
  },
  {
    what: "a baseUrl with a password",
    options: { baseUrl: "https://hana:secret@service.example" },
    code: "invalid_base_url",
    says: `baseUrl contains credentials; ${rule}`,
  },
  {
    what: "a baseUrl with a query",
    options: { baseUrl: "https://service.example?tenant=1" },
    code: "invalid_base_url",
    says: `baseUrl contains ? or #; ${rule}`,
  },
  {
    what: "a baseUrl with a line break",
    options: { baseUrl: "https://service.example\n" },
    code: "invalid_base_url",
    says: `baseUrl contains white space; ${rule}`,
  },
  {
    what: "a key with a line break",
    options: { apiKey: "key\n" },
    code: "invalid_api_key",
    says: "apiKey has white space around it",
  },
  {
    what: "a key that is masked",
    options: { apiKey: "ok_••••" },
    code: "invalid_api_key",
    says: "apiKey is not printable ASCII",
  },
  {
    what: "a key that is not set",
    options: { apiKey: "" },
    code: "invalid_api_key",
    says: `apiKey is ""; ${isSet}`,
  },
  {
    what: "an option of another library",
    options: { timeout: 5_000 },
    code: "invalid_option",
    says: /^unknown option "timeout"; options: baseUrl, apiKey, apiKeyHeader, apiVersion, timeoutMs, .*userAgent$/,
  },
  {
    what: "a logger that logs nothing",
    options: { logger: {} },
    code: "invalid_option",
    says: "logger.debug must be of type function, not undefined",
  },
  {
    what: "an option of a call that is misspelt",
    call: (client) => client.getOffer("a", { retries: 3 } as never),
    code: "invalid_option",
    says: 'GetOffer: unknown option "retries"; options: timeoutMs, totalTimeoutMs, maxRetries, signal, idempotencyKey, headers',
  },
  {
    what: "a creation of nothing",
    call: (client) => client.createOffer(undefined as never),
    code: "invalid_argument",
    says: "CreateOffer: input must be of type Object, not undefined",
  },
  {
    what: "a creation without a title",
    options: ofTheService,
    call: (client) => client.createOffer({ createdByUserId: "user_hana", workerIds: ["worker_amal"] } as never),
    code: "bad_request",
    says: "CreateOffer at offers.test: 400; The request is not valid; 1 field is not valid; see errors; title: Add this field; it is required; change the request",
  },
  {
    what: "a time without a zone",
    call: (client) => client.createOffer({ ...input, events: [{ start: "2099-05-01T18:00", end: new Date() }] }),
    code: "invalid_time",
    says: "CreateOffer: events[0].start must be a Date or a time with an offset (+02:00)",
  },
  {
    what: "a missing id",
    call: (client) => client.getOffer(undefined as never),
    code: "invalid_id",
    says: "GetOffer: id must be an offer's id, not undefined",
  },
  {
    what: "an id that was not awaited",
    call: (client) => client.getOffer(Promise.resolve("offer_1") as never),
    code: "invalid_id",
    says: "GetOffer: id must be an offer's id, not Promise",
  },
  {
    what: "an offer in place of its id",
    call: (client) => client.getOffer({ id: "offer_1" } as never),
    code: "invalid_id",
    says: "GetOffer: id must be an offer's id, not Object",
  },
  {
    what: "an empty id",
    call: (client) => client.getOffer(""),
    code: "invalid_id",
    says: "GetOffer: id must be an offer's id, not empty, dots or broken Unicode",
  },
  {
    what: "one worker instead of a list",
    call: (client) => client.completeOffer("a", "worker_amal" as never),
    code: "invalid_argument",
    says: "CompleteOffer: workerIds must be of type Array, not string",
  },
  {
    what: "a host name without a server",
    options: { baseUrl: "https://service.invalid", maxRetries: 0 },
    call: read,
    code: "connect_failed",
    says: /^GetOffer at service\.invalid: no connection was made; check baseUrl and the network \(.*(ENOTFOUND|EAI_AGAIN)/,
  },
  {
    what: "a port at which nothing listens",
    at: unusedAddress,
    call: create,
    code: "connect_failed",
    says: /^CreateOffer at HOST: no connection was made; check baseUrl and the network \(.*ECONNREFUSED/,
  },
  {
    what: "a port that fetch blocks",
    options: { baseUrl: "http://127.0.0.1:1" },
    call: read,
    code: "port_blocked",
    says: /^GetOffer at 127\.0\.0\.1:1: fetch blocks this port \(.*bad port\)$/,
  },
  {
    what: "a connection that is reset",
    at: async () => (await serve((response) => void response.destroy())).baseUrl,
    call: create,
    code: "connection_lost",
    says: /^CreateOffer at HOST: the connection was lost; the request may have been received \(/,
  },
  {
    what: "http to an https port",
    at: async () => (await wrongName()).replace("https:", "http:"),
    call: read,
    code: "connection_lost",
    says: /^GetOffer at HOST: the connection was lost; the request may have been received \(/,
  },
  {
    what: "https to an http port",
    at: async () => https(await responding(200)()),
    call: read,
    code: "tls_failed",
    says: /^GetOffer at HOST: no TLS connection was made; the port expects http \(ERR_SSL_[A-Z_]+\)$/,
  },
  {
    what: "a certificate of an unknown authority",
    at: wrongName,
    call: read,
    code: "tls_failed",
    says: /^GetOffer at HOST: no TLS connection was made; for a private certificate, set NODE_EXTRA_CA_CERTS \([A-Z_]*(CERT|LEAF)[A-Z_]*\)$/,
  },
  {
    what: "a response that is not HTTP",
    at: () => speaking((socket) => void socket.end("220 mail.example ESMTP\r\n")),
    call: read,
    code: "connection_lost",
    says: /^GetOffer at HOST: the connection was lost; the request may have been received \(.*HTTP/,
  },
  {
    what: "a wrong key",
    at: problem(401, { title: "The API key is missing or invalid" }),
    call: read,
    code: "unauthenticated",
    says: "GetOffer at HOST: 401; The API key is missing or invalid; check apiKey and baseUrl",
  },
  {
    what: "a key that may not do this",
    at: responding(403),
    call: create,
    code: "forbidden",
    says: "CreateOffer at HOST: 403; check apiKey",
  },
  {
    what: "an id that the service does not know",
    at: problem(404, { title: "No such offer", detail: "You have no offer with this id." }),
    call: read,
    code: "not_found",
    says: "GetOffer at HOST: 404; No such offer; You have no offer with this id; check the id, apiKey and baseUrl",
  },
  {
    what: "a wrong path in baseUrl, for a creation",
    options: { ...ofTheService, baseUrl: `${service.baseUrl}/api/v1` },
    call: create,
    code: "not_found",
    says: "CreateOffer at offers.test: 404; Not found; Check the path; check baseUrl",
  },
  {
    what: "a wrong path in baseUrl, for a read",
    options: { ...ofTheService, baseUrl: `${service.baseUrl}/api/v1` },
    call: read,
    code: "not_found",
    says: "GetOffer at offers.test: 404; Not found; Check the path; check the id, apiKey and baseUrl",
  },
  {
    what: "a baseUrl that ends in the path of an operation, for a creation",
    options: { ...ofTheService, baseUrl: `${service.baseUrl}/offer` },
    call: create,
    code: "bad_request",
    says: "CreateOffer at offers.test: 405; Method not allowed; Allowed here: GET, HEAD; check baseUrl",
  },
  {
    what: "a 404 of another server",
    at: responding(404, "<h1>Not Found</h1>"),
    call: read,
    code: "not_found",
    says: "GetOffer at HOST: 404; check the id, apiKey and baseUrl",
  },
  {
    what: "an offer that is complete already",
    at: problem(409, { title: "The offer is already complete" }),
    call: (client) => client.completeOffer("a", ["worker_amal"]),
    code: "conflict",
    says: "CompleteOffer at HOST: 409; The offer is already complete; read the offer",
  },
  {
    what: "too many requests",
    at: problem(429, { title: "Too many requests" }, { "retry-after": "3600" }),
    call: read,
    code: "rate_limited",
    says: "GetOffer at HOST: 429; Too many requests; try later",
  },
  {
    what: "a service that fails",
    at: responding(503, "", { "retry-after": "120" }),
    call: (client) => client.withdrawOffer("a"),
    code: "server_error",
    says: "WithdrawOffer at HOST: 503; try later",
  },
  {
    what: "a web page in the service's place",
    at: responding(200, "<!doctype html><title>Sign in</title>", { "content-type": "text/html; charset=utf-8" }),
    call: read,
    code: "invalid_response",
    says: "GetOffer at HOST: 200; the body is HTML, not JSON; check baseUrl",
  },
  {
    what: "broken JSON",
    at: responding(200, '{"id":"offer_4f1c2a",', json),
    call: read,
    code: "invalid_response",
    says: "GetOffer at HOST: 200; the body is not JSON; check baseUrl",
  },
  {
    what: "another media type",
    at: responding(200, "id: offer_4f1c2a", { "content-type": "application/yaml" }),
    call: read,
    code: "invalid_response",
    says: "GetOffer at HOST: 200; the body is not JSON; check baseUrl",
  },
  {
    what: "an empty body",
    at: responding(200, "", json),
    call: read,
    code: "invalid_response",
    says: "GetOffer at HOST: 200; the body is not JSON; check baseUrl",
  },
  {
    what: "an offer without its recipients",
    at: responding(200, JSON.stringify({ ...offer, recipients: undefined }), json),
    call: read,
    code: "invalid_response",
    says: "GetOffer at HOST: 200; recipients must be of type Array, not undefined; check baseUrl",
  },
  {
    what: "a response that is too large",
    at: responding(200, JSON.stringify(offer), json),
    options: { maxResponseBytes: 100 },
    call: read,
    code: "response_too_large",
    says: "GetOffer at HOST: 200; the body exceeds maxResponseBytes (100); check baseUrl",
  },
  {
    what: "a redirect",
    at: responding(301, "", { location: "https://www.service.example/offer" }),
    call: read,
    code: "unexpected_redirect",
    says: "GetOffer at HOST: 301; redirects are not followed; check baseUrl",
  },
  {
    what: "an attempt that takes too long",
    at: async () => (await serve(() => {})).baseUrl,
    options: { timeoutMs: 40, maxRetries: 0 },
    call: read,
    code: "timeout",
    says: "GetOffer at HOST: no response within 40 ms; see timeoutMs and totalTimeoutMs",
  },
  {
    what: "a call that takes too long in all",
    at: async () => (await serve(() => {})).baseUrl,
    options: { totalTimeoutMs: 40 },
    call: read,
    code: "timeout",
    says: "GetOffer at HOST: no response within 40 ms; see timeoutMs and totalTimeoutMs",
  },
  {
    what: "a function that gives no key in time",
    at: responding(200),
    options: { totalTimeoutMs: 40, apiKey: () => new Promise(() => {}) },
    call: read,
    code: "timeout",
    says: "GetOffer: no response within 40 ms; see timeoutMs and totalTimeoutMs",
  },
  {
    what: "middleware that throws",
    at: responding(200),
    options: { middleware: [() => Promise.reject(new Error("no token"))] },
    call: read,
    code: "middleware_failed",
    says: "GetOffer at HOST: the middleware failed (Error: no token)",
  },
];

test.each(mistakes)(
  "the message about $what names the operation, the problem and the remedy [D-97]",
  async (mistake) => {
    const { at, options = {}, call = read, code, says } = mistake;
    const baseUrl = (await at?.()) ?? "https://service.example";
    const error: AnyOffersError = await Promise.resolve()
      .then(() => call(new OffersClient({ baseUrl, apiKey, ...options } as OffersClientOptions)))
      .then(
        () => expect.unreachable(),
        (thrown) => thrown,
      );
    const message = at ? error.message.replace(new URL(baseUrl).host, "HOST") : error.message;
    expect(error.code).toBe(code);
    if (typeof says === "string") expect(message).toBe(says);
    else expect(message).toMatch(says);
    expect(error.message).not.toContain(apiKey);
  },
);

test("there are at least thirty mistakes", () => expect(mistakes.length).toBeGreaterThanOrEqual(30));
