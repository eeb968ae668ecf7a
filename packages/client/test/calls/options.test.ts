import { expect, test } from "vitest";
import { type AnyOffersError, OffersClient, type OffersClientOptions } from "../../src/index.ts";
import { createOpenApiClient } from "../../src/openapi-fetch.ts";
import { TracedOffersClient } from "../../src/opentelemetry.ts";
import { createTestService } from "../../src/testing.ts";
import { input } from "../support/offer.ts";
import { respondWith, serve } from "../support/serve.ts";

const valid: OffersClientOptions = { baseUrl: "https://service.example", apiKey: "key" };
const thrownBy = (work: () => unknown): AnyOffersError => {
  try {
    work();
  } catch (error) {
    return error as AnyOffersError;
  }
  return expect.unreachable();
};
const errorOf = (call: PromiseLike<unknown>): Promise<AnyOffersError> =>
  Promise.resolve(call).then(
    () => expect.unreachable(),
    (error) => error,
  );

test.each([
  [undefined, /^baseUrl is missing/],
  [null, /^baseUrl is missing/],
  ["", /^baseUrl is empty/],
  [7, /^baseUrl is a number/],
  [{}, /^baseUrl is an object/],
  ["service.example", /^baseUrl has no scheme/],
  ["localhost:3000", /^baseUrl has no scheme/],
  ["service.example:443/v1", /^baseUrl has no scheme/],
  ["//service.example", /^baseUrl has no scheme/],
  ["/offer", /^baseUrl has no scheme/],
  ['"https://service.example"', /^baseUrl has no scheme/],
  ["ftp://service.example", /^baseUrl has the scheme ftp/],
  ["ws://localhost", /^baseUrl has the scheme ws/],
  ["file:///etc", /^baseUrl has the scheme file; use https/],
  ["ftp://service.example/https:/", /^baseUrl has the scheme ftp; use https/],
  ["http://service.example/https:/", /^baseUrl is http; .* except on loopback/],
  ["httpss://service.example", /^baseUrl has the scheme httpss; use https/],
  ["shttp://service.example", /^baseUrl has the scheme shttp; use https/],
  ["key-of-harbour-hotels-and-bistro://service", /^baseUrl has the scheme key-of-harbour-hotel; use https/],
  ["http://service.example", /^baseUrl is http; .* except on loopback/],
  ["https://user:password@service.example", /^baseUrl has credentials/],
  ["https://user@service.example", /^baseUrl has credentials/],
  ["https://service.example?tenant=1", /^baseUrl has a query/],
  ["https://service.example?", /^baseUrl has a query/],
  ["https://service.example/?user=a@b", /^baseUrl has a query/],
  ["https://service.example/#offers", /^baseUrl has a fragment/],
  ["https://", /^baseUrl has no host/],
  ["https:///offers", /^baseUrl has no host/],
  ["https://:8443", /^baseUrl has no host/],
  [" https://service.example", /^baseUrl has white space/],
  ["https://service.example\n", /^baseUrl has white space/],
  ["https://service example", /^baseUrl has white space/],
  ["https://service.example:65536", /^baseUrl has a port .* 1 to 65535/],
  ["https://service.example:99999/v1", /^baseUrl has a port .* 1 to 65535/],
  ["https://service.example:0", /^baseUrl has a port .* 1 to 65535/],
  ["https://service.example:port", /^baseUrl has a port .* 1 to 65535/],
  ["https://[::1]:65536", /^baseUrl has a port .* 1 to 65535/],
  ["https://[::1", /^baseUrl has an invalid host/],
  ["https://a%zz", /^baseUrl has an invalid host/],
  ["https://a%zz/x:y", /^baseUrl has an invalid host/],
])("the base address %j is refused for what is wrong with it", (baseUrl, message) => {
  for (const make of [
    () => new OffersClient({ ...valid, baseUrl: baseUrl as string }),
    () => createOpenApiClient({ ...valid, baseUrl: baseUrl as string }),
    () => new TracedOffersClient({ ...valid, baseUrl: baseUrl as string }),
  ]) {
    const error = thrownBy(make);
    expect(error).toMatchObject({
      name: "UsageError",
      code: "invalid_base_url",
      message: expect.stringMatching(message),
    });
    expect(error.message).toContain("https://service.example");
    expect(error.message).not.toContain("password");
  }
});

test.each([
  [undefined, /^apiKey is missing/],
  ["", /^apiKey is empty/],
  [7, /^apiKey is a number/],
  [" key", /^apiKey starts or ends with white space/],
  ["key\n", /^apiKey starts or ends with white space/],
  ["k\u00e9y", /^apiKey has a character/],
])("the key %j is refused for what is wrong with it, and not shown", (apiKey, message) =>
  expect(thrownBy(() => new OffersClient({ ...valid, apiKey: apiKey as string }))).toMatchObject({
    code: "invalid_api_key",
    message: expect.stringMatching(message),
  }),
);

test.each([
  [{ timeout: 5_000 }, '"timeout"', "did you mean timeoutMs?"],
  [{ timeoutms: 5_000 }, '"timeoutms"', "did you mean timeoutMs?"],
  [{ baseURL: "x" }, '"baseURL"', "did you mean baseUrl?"],
  [{ base_url: "x" }, '"base_url"', "did you mean baseUrl?"],
  [{ url: "x" }, '"url"', "did you mean baseUrl?"],
  [{ key: "x" }, '"key"', "did you mean apiKey?"],
  [{ retries: 2 }, '"retries"', "did you mean maxRetries?"],
  [{ maxRetrys: 2 }, '"maxRetrys"', "did you mean maxRetries?"],
  [{ loger: console }, '"loger"', "did you mean logger?"],
  [{ middlewares: [] }, '"middlewares"', "did you mean middleware?"],
  [{ maxBytes: 1 }, '"maxBytes"', "did you mean maxResponseBytes?"],
  [{ colour: "red" }, '"colour"', "; there are baseUrl, apiKey, apiKeyHeader, "],
  [{ reach: 1 }, '"reach"', "; there are baseUrl, apiKey, apiKeyHeader, "],
  [{ ["x".repeat(100)]: 1 }, `"${"x".repeat(99)}"`, "; there are baseUrl"],
  [{ signal: new AbortController().signal }, '"signal"', "a call option"],
  [{ timeout: undefined }, '"timeout"', "did you mean timeoutMs?"],
])("the unknown option %j is refused, with the nearest right one", (option, named, right) => {
  const { code, message } = thrownBy(() => new OffersClient({ ...valid, ...option }));
  expect(code).toBe("invalid_option");
  expect(message).toContain(named);
  expect(message).toContain(right);
});

test.each([
  [{ logger: {} }, "logger", "debug"],
  [{ logger: { debug() {} } }, "logger", "warn"],
  [{ logger: "console" }, "logger", "console"],
  [{ logger: null }, "logger", "null"],
  [{ fetch: {} }, "fetch", "function"],
  [{ onRetry: "log" }, "onRetry", "function"],
  [{ middleware: () => {} }, "middleware", "array"],
  [{ middleware: [undefined] }, "middleware[0]", "function"],
  [{ serviceHonoursIdempotencyKey: "false" }, "serviceHonoursIdempotencyKey", "true or false"],
  [{ timeoutMs: "5000" }, "timeoutMs", "whole number"],
  [{ timeoutMs: null }, "timeoutMs", "whole number"],
  [{ maxRetries: 1.5 }, "maxRetries", "whole number"],
  [{ userAgent: 7 }, "userAgent", "string"],
  [{ userAgent: "" }, "userAgent", "empty"],
  [{ apiVersion: null }, "apiVersion", "null"],
  [{ apiKeyHeader: "X Key" }, "apiKeyHeader", "name of a header"],
])("the option %j is refused by name, with what it must be", (option, named, wanted) => {
  const error = thrownBy(() => new OffersClient({ ...valid, ...(option as object) }));
  expect(error).toMatchObject({ name: "UsageError", code: "invalid_option" });
  expect(error.message).toContain(named);
  expect(error.message).toContain(wanted);
});

test.each([undefined, null, 7, "https://service.example", [], new URL("https://service.example")])(
  "options that are no object are refused: %j",
  (options) => {
    for (const make of [() => new OffersClient(options as never), () => createOpenApiClient(options as never)])
      expect(thrownBy(make)).toMatchObject({
        name: "UsageError",
        message: expect.stringContaining("new OffersClient({"),
      });
  },
);

test("every option may be undefined, and a service in memory is all the options that are needed", async () => {
  const service = createTestService();
  const unset = { apiKeyHeader: undefined, timeoutMs: undefined, logger: undefined, middleware: undefined };
  await new OffersClient({ ...service, ...unset }).createOffer(input, { signal: undefined, headers: undefined });
  expect(new OffersClient({ ...valid, logger: console })).toBeInstanceOf(OffersClient);
});

test.each([
  [{ timeout: 5 }, "invalid_option", '"timeout"', "timeoutMs"],
  [{ retries: 5 }, "invalid_option", '"retries"', "maxRetries"],
  [{ apiKey: "x" }, "invalid_option", '"apiKey"', "use withApiKey()"],
  [{ apiKeyHeader: "x" }, "invalid_option", '"apiKeyHeader"', "give it to new OffersClient()"],
  [{ logger: console }, "invalid_option", '"logger"', "give it to new OffersClient()"],
  [{ idempotency_key: "x" }, "invalid_option", '"idempotency_key"', "idempotencyKey"],
  [{ pollIntervalMs: 5 }, "invalid_option", '"pollIntervalMs"', "watchOffer"],
  [5_000, "invalid_option", "a number", "{ timeoutMs: 5_000 }"],
  ["shift-7", "invalid_option", "a string", "object"],
  [new AbortController().signal, "invalid_option", "AbortSignal", "{ signal }"],
  [{ signal: new AbortController() }, "invalid_argument", "signal", ".signal"],
  [{ signal: {} }, "invalid_argument", "signal", "AbortSignal"],
  [{ headers: new Headers({ a: "b" }) }, "invalid_option", "headers", "Object.fromEntries"],
  [{ headers: [["a", "b"]] }, "invalid_option", "headers", "object"],
  [{ headers: { "x-team": 7 } }, "invalid_option", "x-team", "string"],
  [{ timeoutMs: null }, "invalid_option", "timeoutMs", "whole number"],
])("the options %o of a call are refused before any request", async (call, code, named, wanted) => {
  const { baseUrl, received } = await serve(respondWith(201, "offer_1"));
  const error = await errorOf(new OffersClient({ baseUrl, apiKey: "key" }).createOffer(input, call as never));
  expect(error).toMatchObject({ name: "UsageError", code, operation: "CreateOffer", attempts: 0 });
  expect(error.message).toMatch(/^CreateOffer: /);
  expect(error.message).toContain(named);
  expect(error.message).toContain(wanted);
  expect(received).toEqual([]);
});

test("a watch takes its interval, and refuses what it does not know", async () => {
  const next = (call: object) =>
    errorOf(
      new OffersClient(valid)
        .watchOffer("a", call as never)
        [Symbol.asyncIterator]()
        .next(),
    );
  expect((await next({ interval: 5 })).message).toMatch(/"interval".*pollIntervalMs/);
  expect((await next({ pollIntervalMs: "5" })).message).toMatch(/pollIntervalMs must be a whole number/);
});

test("a call through openapi-fetch refuses an option that neither knows", async () => {
  const api = createOpenApiClient(valid);
  const { error } = await api.GET("/offer/{id}", { params: { path: { id: "a" } }, timeout: 5 } as never);
  expect(error).toMatchObject({ code: "invalid_option", message: expect.stringMatching(/"timeout".*timeoutMs/) });
});

const hostile = Object.defineProperty({ createdByUserId: "u", title: "t" }, "workerIds", {
  enumerable: true,
  get: () => {
    throw new Error("no such column");
  },
});

type ClientCall = (client: OffersClient) => PromiseLike<unknown>;
const perform = (method: string, ...given: unknown[]): [string, ClientCall] => [
  `${method}(${given.map((one) => (one === hostile ? "hostile" : JSON.stringify(one))).join(", ")})`,
  (client) => Reflect.apply(Reflect.get(client, method), client, given),
];

test.each<[[string, ClientCall], string, string, RegExp]>([
  [perform("createOffer"), "CreateOffer", "invalid_argument", /input is missing.*createOffer\(\{/],
  [perform("createOffer", null), "CreateOffer", "invalid_argument", /input is null/],
  [perform("createOffer", "Kitchen"), "CreateOffer", "invalid_argument", /input is a string/],
  [perform("createOffer", [input]), "CreateOffer", "invalid_argument", /input is an array/],
  [
    perform("createOffer", { ...input, events: 7 }),
    "CreateOffer",
    "invalid_argument",
    /events is a number, not an array; give \[\{ start, end \}\]$/,
  ],
  [
    perform("createOffer", { ...input, events: { start: "", end: "" } }),
    "CreateOffer",
    "invalid_argument",
    /events is an object, not an array/,
  ],
  [perform("createOffer", { ...input, events: [null] }), "CreateOffer", "invalid_argument", /events\[0\] is null/],
  [
    perform("createOffer", { ...input, events: ["tomorrow"] }),
    "CreateOffer",
    "invalid_argument",
    /events\[0\] is a string, not an object; give \{ start, end \}$/,
  ],
  [perform("createOffer", { ...input, events: [{}] }), "CreateOffer", "invalid_time", /events\[0\]\.start/],
  [perform("createOffer", hostile), "CreateOffer", "invalid_argument", /could not be written.*no such column/],
  [perform("getOffer"), "GetOffer", "invalid_id", /id is missing/],
  [perform("getOffer", undefined), "GetOffer", "invalid_id", /id is missing/],
  [perform("getOffer", null), "GetOffer", "invalid_id", /id is null/],
  [perform("getOffer", 7), "GetOffer", "invalid_id", /id is a number/],
  [perform("getOffer", { id: "a" }), "GetOffer", "invalid_id", /id is an object/],
  [perform("getOffer", ""), "GetOffer", "invalid_id", /id is empty/],
  [perform("getOffer", ".."), "GetOffer", "invalid_id", /"\.\."/],
  [perform("getOffer", "\ud800"), "GetOffer", "invalid_id", /Unicode/],
  [perform("withdrawOffer"), "WithdrawOffer", "invalid_id", /id is missing/],
  [perform("completeOffer"), "CompleteOffer", "invalid_id", /id is missing/],
  [perform("completeOffer", "a"), "CompleteOffer", "invalid_argument", /workerIds is missing.*completeOffer\(/],
  [
    perform("completeOffer", "a", "worker_amal"),
    "CompleteOffer",
    "invalid_argument",
    /workerIds is a string, not an array/,
  ],
  [perform("completeOffer", "a", [undefined]), "CompleteOffer", "invalid_argument", /workerIds\[0\] is missing/],
  [
    perform("completeOffer", "a", ["w", { id: "w" }]),
    "CompleteOffer",
    "invalid_argument",
    /workerIds\[1\] is an object, not a string/,
  ],
])("%s: a mistake of the caller names operation, argument and remedy", async ([, call], operation, code, message) => {
  const { baseUrl, received } = await serve(respondWith(201, "offer_1"));
  const error = await errorOf(call(new OffersClient({ baseUrl, apiKey: "key" })));
  expect(error).toMatchObject({ name: "UsageError", code, operation, attempts: 0 });
  expect(error.message).toMatch(new RegExp(`^${operation}: .*${message.source}`));
  expect(error.message).not.toMatch(/TypeError|Cannot read|is not a function|undefined \(/);
  expect(received).toEqual([]);
});
