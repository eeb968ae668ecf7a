import { expect, test } from "vitest";
import { type AnyOffersError, OffersClient, type OffersClientOptions } from "../../src/index.ts";
import { createOpenApiClient } from "../../src/openapi-fetch.ts";
import { TracedOffersClient } from "../../src/opentelemetry.ts";
import { createTestService } from "../../src/testing.ts";
import { input } from "../support/offer.ts";
import { respondWith, serve } from "../support/serve.ts";

const validOptions: OffersClientOptions = { baseUrl: "https://service.example", apiKey: "key" };
const catchThrownError = (work: () => unknown): AnyOffersError => {
  try {
    work();
  } catch (error) {
    return error as AnyOffersError;
  }
  return expect.unreachable();
};
const catchError = (call: PromiseLike<unknown>): Promise<AnyOffersError> =>
  Promise.resolve(call).then(
    () => expect.unreachable(),
    (error) => error,
  );

test.each([
  undefined,
  null,
  "",
  7,
  {},
  "service.example",
  "localhost:3000",
  "service.example:443/v1",
  "//service.example",
  "/offer",
  '"https://service.example"',
  "ftp://service.example",
  "ws://localhost",
  "file:///etc",
  "ftp://service.example/https:/",
  "http://service.example/https:/",
  "httpss://service.example",
  "shttp://service.example",
  "key-of-harbour-hotels-and-bistro://service",
  "http://service.example",
  "https://user:password@service.example",
  "https://user@service.example",
  "https://service.example?tenant=1",
  "https://service.example?",
  "https://service.example/?user=a@b",
  "https://service.example/#offers",
  "https://",
  "https:///offers",
  "https://:8443",
  " https://service.example",
  "https://service.example\n",
  "https://service example",
  "https://service.example:65536",
  "https://service.example:99999/v1",
  "https://service.example:0",
  "https://service.example:port",
  "https://[::1]:65536",
  "https://[::1",
  "https://a%zz",
  "https://a%zz/x:y",
])("the base URL %j is rejected with the rule that it breaks, and the message does not contain it", (baseUrl) => {
  for (const create of [
    () => new OffersClient({ ...validOptions, baseUrl: baseUrl as string }),
    () => createOpenApiClient({ ...validOptions, baseUrl: baseUrl as string }),
    () => new TracedOffersClient({ ...validOptions, baseUrl: baseUrl as string }),
  ]) {
    const error = catchThrownError(create);
    expect(error).toMatchObject({
      name: "UsageError",
      code: "invalid_base_url",
      message: expect.stringMatching(
        /^baseUrl (is (undefined|null|""); is the environment variable set\?|.+; it must be https, or http on loopback)$/,
      ),
    });
    if (typeof baseUrl === "string" && baseUrl.length > 10) expect(error.message).not.toContain(baseUrl.trim());
  }
});

test.each(["https://service.example/@acme/v2", "https://service.example\\@acme", "http://localhost/a@b"])(
  "the base URL %j is accepted, because it contains no credentials",
  (baseUrl) => expect(new OffersClient({ ...validOptions, baseUrl })).toBeInstanceOf(OffersClient),
);

test.each([
  [undefined, "is undefined; is the environment variable set?"],
  ["", 'is ""; is the environment variable set?'],
  [7, "must be a string"],
  [" key", "has white space around it"],
  ["key\n", "has white space around it"],
  ["k\u00e9y", "is not printable ASCII"],
])("the key %j is rejected with a message that contains only the reason: %s", (apiKey, reason) => {
  const { code, message } = catchThrownError(() => new OffersClient({ ...validOptions, apiKey: apiKey as string }));
  expect(code).toBe("invalid_api_key");
  expect(message).toBe(`apiKey ${reason}`);
});

test.each([
  [{ timeout: 5_000 }, '"timeout"'],
  [{ timeoutms: 5_000 }, '"timeoutms"'],
  [{ baseURL: "x" }, '"baseURL"'],
  [{ base_url: "x" }, '"base_url"'],
  [{ url: "x" }, '"url"'],
  [{ key: "x" }, '"key"'],
  [{ retries: 2 }, '"retries"'],
  [{ maxRetrys: 2 }, '"maxRetrys"'],
  [{ loger: console }, '"loger"'],
  [{ middlewares: [] }, '"middlewares"'],
  [{ maxBytes: 1 }, '"maxBytes"'],
  [{ colour: "red" }, '"colour"'],
  [{ reach: 1 }, '"reach"'],
  [{ ["x".repeat(100)]: 1 }, `"${"x".repeat(100)}"`],
  [{ signal: new AbortController().signal }, '"signal"'],
  [{ timeout: undefined }, '"timeout"'],
])("the error for the unknown option %j contains its name", (option, expectedName) => {
  const { code, message } = catchThrownError(() => new OffersClient({ ...validOptions, ...option }));
  expect(code).toBe("invalid_option");
  expect(message).toMatch(/ options: baseUrl, apiKey, .*timeoutMs, .*maxRetries, .*, userAgent$/);
  expect(message).toContain(`unknown option ${expectedName}; `);
});

test.each([
  [{ timeout: 5_000 }, "timeoutMs"],
  [{ baseURL: "x" }, "baseUrl"],
  [{ maxRetrys: 2 }, "maxRetries"],
  [{ loger: console }, "logger"],
  [{ middlewares: [] }, "middleware"],
])("the error for the unknown option %j suggests %s", (option, expectedName) =>
  expect(catchThrownError(() => new OffersClient({ ...validOptions, ...option })).message).toMatch(
    new RegExp(`^unknown option "\\w+"; did you mean ${expectedName}\\? options: baseUrl, `),
  ),
);

test.each([{ signal: new AbortController().signal }, { reach: 1 }])("no option is suggested for %j", (option) =>
  expect(catchThrownError(() => new OffersClient({ ...validOptions, ...option })).message).not.toContain(
    "did you mean",
  ),
);

test.each([
  [{ logger: {} }, "logger", "debug must be of type function"],
  [{ logger: { debug() {} } }, "logger", "warn"],
  [{ logger: "console" }, "logger", "function, not undefined"],
  [{ logger: null }, "logger", "debug"],
  [{ fetch: {} }, "fetch", "function"],
  [{ onRetry: "log" }, "onRetry", "function"],
  [{ middleware: () => {} }, "middleware", "Array"],
  [{ middleware: [undefined] }, "middleware", "of type function, not undefined"],
  [{ serviceHonoursIdempotencyKey: "false" }, "serviceHonoursIdempotencyKey", "boolean"],
  [{ timeoutMs: "5000" }, "timeoutMs", "number, not string"],
  [{ timeoutMs: null }, "timeoutMs", "number, not Null"],
  [{ maxRetries: 1.5 }, "maxRetries", "integer"],
  [{ userAgent: 7 }, "userAgent", "string"],
  [{ userAgent: "" }, "userAgent", 'is ""'],
  [{ apiVersion: null }, "apiVersion", "Null"],
  [{ apiKeyHeader: "X Key" }, "apiKeyHeader", "header name"],
])(
  "the error for the option %j contains its name and the rule that it breaks",
  (option, expectedName, expectedRule) => {
    const error = catchThrownError(() => new OffersClient({ ...validOptions, ...(option as object) }));
    expect(error).toMatchObject({ name: "UsageError", code: "invalid_option" });
    expect(error.message).toContain(expectedName);
    expect(error.message).toContain(expectedRule);
  },
);

test.each([undefined, null, 7, "https://service.example", [], new URL("https://service.example")])(
  "options that are not an object are rejected: %j",
  (options) => {
    for (const create of [() => new OffersClient(options as never), () => createOpenApiClient(options as never)])
      expect(catchThrownError(create)).toMatchObject({
        name: "UsageError",
        message: expect.stringMatching(/^options must be of type Object, not|^baseUrl must|^apiKey must/),
      });
  },
);

test("every option may be undefined, and a test service is a complete set of options", async () => {
  const service = createTestService();
  const unset = { apiKeyHeader: undefined, timeoutMs: undefined, logger: undefined, middleware: undefined };
  await new OffersClient({ ...service, ...unset }).createOffer(input, { signal: undefined, headers: undefined });
  expect(new OffersClient({ ...validOptions, logger: console })).toBeInstanceOf(OffersClient);
});

test.each([
  [{ timeout: 5 }, "invalid_option", '"timeout"', "unknown option"],
  [{ retries: 5 }, "invalid_option", '"retries"', "unknown option"],
  [{ apiKey: "x" }, "invalid_option", '"apiKey"', "unknown option"],
  [{ apiKeyHeader: "x" }, "invalid_option", '"apiKeyHeader"', "unknown option"],
  [{ logger: console }, "invalid_option", '"logger"', "unknown option"],
  [{ idempotency_key: "x" }, "invalid_option", '"idempotency_key"', "unknown option"],
  [{ pollIntervalMs: 5 }, "invalid_option", '"pollIntervalMs"', "unknown option"],
  [5_000, "invalid_option", "options", "of type Object, not number"],
  ["shift-7", "invalid_option", "options", "of type Object, not string"],
  [new AbortController().signal, "invalid_option", "options", "of type Object, not AbortSignal"],
  [{ signal: new AbortController() }, "invalid_argument", "signal", "AbortSignal, not AbortController"],
  [{ signal: {} }, "invalid_argument", "signal", "AbortSignal"],
  [{ headers: new Headers({ a: "b" }) }, "invalid_option", "headers", "Object, not Headers"],
  [{ headers: [["a", "b"]] }, "invalid_option", "headers", "Object, not Array"],
  [{ headers: { "x-team": 7 } }, "invalid_option", "x-team", "must be a string"],
  [{ timeoutMs: null }, "invalid_option", "timeoutMs", "number, not Null"],
])("the call options %o are rejected before any request", async (call, code, expectedName, expectedRule) => {
  const { baseUrl, received } = await serve(respondWith(201, "offer_1"));
  const error = await catchError(new OffersClient({ baseUrl, apiKey: "key" }).createOffer(input, call as never));
  expect(error).toMatchObject({ name: "UsageError", code, operation: "CreateOffer", attempts: 0 });
  expect(error.message).toMatch(/^CreateOffer: /);
  expect(error.message).toContain(expectedName);
  expect(error.message).toContain(expectedRule);
  expect(received).toEqual([]);
});

const callOptions = "timeoutMs, totalTimeoutMs, maxRetries, signal, idempotencyKey, headers";

test.each(["createOffer", "getOffer", "completeOffer", "withdrawOffer", "watchOffer"] as const)(
  "%s without its client throws an error that says how to call it",
  (method) => {
    for (const client of [new OffersClient(validOptions), new TracedOffersClient(validOptions)]) {
      const detached = client[method] as (...args: unknown[]) => unknown;
      expect(catchThrownError(() => detached("offer_1"))).toMatchObject({
        name: "UsageError",
        code: "invalid_argument",
        message: "call this as a method of the client, such as offers.getOffer(id)",
      });
    }
  },
);

test("a watch accepts an interval and rejects unknown options", async () => {
  const catchFirstReadError = (call: object) =>
    catchError(
      new OffersClient(validOptions)
        .watchOffer("a", call as never)
        [Symbol.asyncIterator]()
        .next(),
    );
  expect((await catchFirstReadError({ interval: 5 })).message).toBe(
    `GetOffer: unknown option "interval"; did you mean pollIntervalMs? options: ${callOptions}, pollIntervalMs`,
  );
  expect((await catchFirstReadError({ pollIntervalMs: "5" })).message).toMatch(
    /pollIntervalMs must be of type number, not string/,
  );
});

test("a call through openapi-fetch rejects an option that neither library has", async () => {
  const api = createOpenApiClient(validOptions);
  const { error } = await api.GET("/offer/{id}", { params: { path: { id: "a" } }, timeout: 5 } as never);
  expect(error).toMatchObject({
    code: "invalid_option",
    message: `GetOffer: unknown option "timeout"; did you mean timeoutMs? options: ${callOptions}`,
  });
});

const unreadableInput = Object.defineProperty({ createdByUserId: "u", title: "t" }, "workerIds", {
  enumerable: true,
  get: () => {
    throw new Error("no such column");
  },
});

type ClientCall = (client: OffersClient) => PromiseLike<unknown>;
const createCase = (method: string, ...args: unknown[]): [string, ClientCall] => [
  `${method}(${args.map((arg) => (arg === unreadableInput ? "unreadable" : JSON.stringify(arg))).join(", ")})`,
  (client) => Reflect.apply(Reflect.get(client, method), client, args),
];

test.each<[[string, ClientCall], string, string, RegExp]>([
  [createCase("createOffer"), "CreateOffer", "invalid_argument", /input must be of type Object, not undefined/],
  [createCase("createOffer", null), "CreateOffer", "invalid_argument", /input must be of type Object, not Null/],
  [createCase("createOffer", "Kitchen"), "CreateOffer", "invalid_argument", /input must be of type Object, not string/],
  [createCase("createOffer", [input]), "CreateOffer", "invalid_argument", /input must be of type Object, not Array/],
  [
    createCase("createOffer", { ...input, events: 7 }),
    "CreateOffer",
    "invalid_argument",
    /events must be of type Array, not number$/,
  ],
  [
    createCase("createOffer", { ...input, events: { start: "", end: "" } }),
    "CreateOffer",
    "invalid_argument",
    /events must be of type Array, not Object/,
  ],
  [
    createCase("createOffer", { ...input, events: [null] }),
    "CreateOffer",
    "invalid_argument",
    /events\[0\] must be of type Object, not Null/,
  ],
  [
    createCase("createOffer", { ...input, events: ["tomorrow"] }),
    "CreateOffer",
    "invalid_argument",
    /events\[0\] must be of type Object, not string$/,
  ],
  [createCase("createOffer", { ...input, events: [{}] }), "CreateOffer", "invalid_time", /events\[0\]\.start/],
  [createCase("createOffer", unreadableInput), "CreateOffer", "invalid_argument", /could not be read.*no such column/],
  [createCase("getOffer"), "GetOffer", "invalid_id", /id must be an offer id, not undefined$/],
  [createCase("getOffer", undefined), "GetOffer", "invalid_id", /id must be an offer id, not undefined$/],
  [createCase("getOffer", null), "GetOffer", "invalid_id", /id must be an offer id, not Null$/],
  [createCase("getOffer", 7), "GetOffer", "invalid_id", /id must be an offer id, not number$/],
  [createCase("getOffer", { id: "a" }), "GetOffer", "invalid_id", /id must be an offer id, not Object$/],
  [
    createCase("getOffer", ""),
    "GetOffer",
    "invalid_id",
    /id must be an offer id, not an empty string, dots or invalid Unicode$/,
  ],
  [
    createCase("getOffer", ".."),
    "GetOffer",
    "invalid_id",
    /id must be an offer id, not an empty string, dots or invalid Unicode$/,
  ],
  [
    createCase("getOffer", "\ud800"),
    "GetOffer",
    "invalid_id",
    /id must be an offer id, not an empty string, dots or invalid Unicode$/,
  ],
  [createCase("withdrawOffer"), "WithdrawOffer", "invalid_id", /id must be an offer id, not undefined$/],
  [createCase("completeOffer"), "CompleteOffer", "invalid_id", /id must be an offer id, not undefined$/],
  [
    createCase("completeOffer", "a"),
    "CompleteOffer",
    "invalid_argument",
    /workerIds must be of type Array, not undefined/,
  ],
  [
    createCase("completeOffer", "a", "worker_amal"),
    "CompleteOffer",
    "invalid_argument",
    /workerIds must be of type Array, not string/,
  ],
  [
    createCase("completeOffer", "a", [undefined]),
    "CompleteOffer",
    "invalid_argument",
    /workerIds\[0\] must be of type string, not undefined/,
  ],
  [
    createCase("completeOffer", "a", ["w", { id: "w" }]),
    "CompleteOffer",
    "invalid_argument",
    /workerIds\[1\] must be of type string, not Object/,
  ],
])(
  "%s rejects with an error that contains the operation, the argument and the rule",
  async ([, call], operation, code, message) => {
    const { baseUrl, received } = await serve(respondWith(201, "offer_1"));
    const error = await catchError(call(new OffersClient({ baseUrl, apiKey: "key" })));
    expect(error).toMatchObject({ name: "UsageError", code, operation, attempts: 0 });
    expect(error.message).toMatch(new RegExp(`^${operation}: .*${message.source}`));
    expect(error.message).not.toMatch(/TypeError|Cannot read|is not a function|undefined \(/);
    expect(received).toEqual([]);
  },
);
