import { expect, test } from "vitest";
import {
  type AnyOffersError,
  isOffersError,
  type Middleware,
  OffersClient,
  type OffersClientOptions,
} from "../../src/index.ts";
import { createOpenApiClient } from "../../src/openapi-fetch.ts";
import { TracedOffersClient } from "../../src/opentelemetry.ts";
import { validateResponses } from "../../src/schemas.ts";
import { input } from "../support/offer.ts";
import { respondWith, serve } from "../support/serve.ts";

const apiKey = "key";
const catchError = (call: Promise<unknown>): Promise<AnyOffersError> =>
  call.then(
    () => expect.unreachable(),
    (error) => error,
  );

/** Returns an error from another client's call, and a copy of its properties. */
async function createForeignError() {
  const { baseUrl } = await serve(respondWith(404, '{"title":"No such worker"}'));
  const error = await catchError(new OffersClient({ baseUrl, apiKey: "other" }).getOffer("elsewhere"));
  const { operation, attempts, message, stack } = error;
  return { error, originalProperties: { operation, attempts, message, stack } };
}

const sources: [string, string, (error: unknown) => Partial<OffersClientOptions>][] = [
  ["middleware", "middleware_failed", (error) => ({ middleware: [() => Promise.reject(error)] })],
  [
    "middleware after a response",
    "middleware_failed",
    (error) => ({
      middleware: [
        async (request, next) => {
          await next(request);
          throw error;
        },
      ] satisfies Middleware[],
    }),
  ],
  ["a fetch", "connection_lost", (error) => ({ fetch: () => Promise.reject(error) })],
  [
    "a body",
    "connection_lost",
    (error) => ({
      fetch: async () => ({ status: 200, headers: new Headers(), text: () => Promise.reject(error) }),
    }),
  ],
  ["an apiKey function", "api_key_provider_failed", (error) => ({ apiKey: () => Promise.reject(error) })],
];

test.each(sources)(
  "another call's error that %s throws becomes the cause, unchanged [D-97]",
  async (_what, code, options) => {
    const { error, originalProperties } = await createForeignError();
    const { baseUrl } = await serve(respondWith(201, "offer_1"));
    const client = new OffersClient({ baseUrl, apiKey, maxRetries: 0, ...options(error) });
    const failure = await catchError(client.createOffer(input));
    expect(failure).not.toBe(error);
    expect(failure).toMatchObject({ code, operation: "CreateOffer", cause: error });
    const { operation, attempts, message, stack } = error;
    expect({ operation, attempts, message, stack }).toEqual(originalProperties);
  },
);

test("an error from another client's constructor does not belong to a call and is unchanged too", async () => {
  const failingMiddleware: Middleware = async () => {
    new OffersClient({ baseUrl: "", apiKey });
    return expect.unreachable();
  };
  const failure = await catchError(
    new OffersClient({ baseUrl: "https://service.example", apiKey, middleware: [failingMiddleware] }).getOffer("a"),
  );
  expect(failure).toMatchObject({ code: "middleware_failed", operation: "GetOffer", attempts: 1 });
  expect(failure.cause).toMatchObject({ code: "invalid_base_url", operation: undefined, attempts: 0 });
});

test("an error that middleware stores and throws in a later call belongs to the first call", async () => {
  let storedError: unknown;
  const circuitBreaker: Middleware = async (request, next) => {
    if (storedError) throw storedError;
    return next(request).catch((error) => {
      storedError = error;
      throw error;
    });
  };
  const fetch = () => Promise.reject(new TypeError("fetch failed"));
  const client = new OffersClient({
    baseUrl: "https://service.example",
    apiKey,
    maxRetries: 0,
    fetch,
    middleware: [circuitBreaker],
  });
  const first = await catchError(client.createOffer(input));
  expect(first).toMatchObject({ code: "connection_lost", operation: "CreateOffer" });
  expect(first).toBe(storedError);
  const second = await catchError(client.getOffer("a"));
  expect(second).toMatchObject({ code: "middleware_failed", operation: "GetOffer", cause: first });
  expect(first.operation).toBe("CreateOffer");
});

test("an error from validateResponses that middleware throws in a later call belongs to the first call", async () => {
  let storedError: unknown;
  const throwStoredError: Middleware = async (request, next) => {
    if (storedError) throw storedError;
    return next(request);
  };
  const fetch = async () => Response.json({ id: "a" });
  const options = {
    baseUrl: "https://service.example",
    apiKey,
    fetch,
    middleware: [throwStoredError, validateResponses()],
  };
  const client = new OffersClient(options);
  storedError = await catchError(client.getOffer("a"));
  const { message } = storedError as AnyOffersError;
  expect(storedError).toMatchObject({ code: "invalid_response", operation: "GetOffer", attempts: 1 });
  const second = await catchError(client.withdrawOffer("a"));
  expect(second).toMatchObject({ code: "middleware_failed", operation: "WithdrawOffer", cause: storedError });
  expect(storedError).toMatchObject({ operation: "GetOffer", message });
});

test("another call's error that a getter of the input throws becomes the cause, unchanged", async () => {
  const { error, originalProperties } = await createForeignError();
  const client = new OffersClient({ baseUrl: "https://service.example", apiKey });
  const failure = await catchError(
    client.createOffer({
      ...input,
      get events(): never {
        throw error;
      },
    }),
  );
  expect(failure).toMatchObject({ code: "invalid_argument", operation: "CreateOffer", attempts: 0, cause: error });
  const { operation, attempts, message, stack } = error;
  expect({ operation, attempts, message, stack }).toEqual(originalProperties);
});

test("an error from another client's constructor that a getter of the input throws is unchanged too", async () => {
  let foreignError: unknown;
  const inputWithGetter = {
    ...input,
    get events(): never {
      try {
        new OffersClient({ baseUrl: "", apiKey });
      } catch (error) {
        foreignError = Object.freeze(error);
      }
      throw foreignError;
    },
  };
  const failure = await catchError(
    new OffersClient({ baseUrl: "https://service.example", apiKey }).createOffer(inputWithGetter),
  );
  expect(failure).toMatchObject({ code: "invalid_argument", operation: "CreateOffer", cause: foreignError });
  expect(foreignError).toMatchObject({ code: "invalid_base_url", operation: undefined });
});

test("a watch rejects with the unchanged error that getOffer of a subclass throws", async () => {
  const { error } = await createForeignError();
  Object.freeze(error);
  class FailingClient extends OffersClient {
    override getOffer(): never {
      throw error;
    }
  }
  const client = new FailingClient({ baseUrl: "https://service.example", apiKey });
  await expect(client.watchOffer("a")[Symbol.asyncIterator]().next()).rejects.toBe(error);
});

test("a getter of the input may throw undefined", async () => {
  const inputWithGetter = {
    ...input,
    get events(): never {
      throw undefined;
    },
  };
  const failure = await catchError(
    new OffersClient({ baseUrl: "https://service.example", apiKey }).createOffer(inputWithGetter),
  );
  expect(failure).toMatchObject({ name: "UsageError", code: "invalid_argument", operation: "CreateOffer" });
});

test("an error from a second copy of the package becomes the cause, unchanged", async () => {
  class ForeignError extends Error {
    get [Symbol.for("@offers/client/error")]() {
      return true;
    }
  }
  const foreignError = Object.freeze(new ForeignError("from the second copy"));
  expect(isOffersError(foreignError)).toBe(true);
  const client = new OffersClient({
    baseUrl: "https://service.example",
    apiKey,
    middleware: [() => Promise.reject(foreignError)],
  });
  expect(await catchError(client.getOffer("a"))).toMatchObject({ code: "middleware_failed", cause: foreignError });
});

// next.js #46737: Next.js recognises its own errors by `digest`, such as the one that makes a page dynamic when it fetches without a cache.
test.each(sources)(
  "an error with a digest that %s throws reaches the framework unchanged, after one attempt",
  async (...source) => {
    const [, , options] = source;
    const error = Object.assign(new Error("Dynamic server usage"), { digest: "DYNAMIC_SERVER_USAGE" });
    const { baseUrl, received } = await serve(respondWith(200, "{}"));
    const client = new OffersClient({ baseUrl, apiKey, ...options(error) });
    expect(await catchError(client.getOffer("a"))).toBe(error);
    expect(await catchError(client.getOffer("a").withResponse())).toBe(error);
    expect(await catchError(client.getOffer("a").safe())).toBe(error);
    expect(await catchError(client.watchOffer("a")[Symbol.asyncIterator]().next())).toBe(error);
    expect(received.length).toBeLessThanOrEqual(4);
    expect(
      await catchError(createOpenApiClient({ baseUrl, apiKey, ...options(error) }).GET("/offer/{id}", getInit)),
    ).toBe(error);
    expect(await catchError(new TracedOffersClient({ baseUrl, apiKey, ...options(error) }).getOffer("a"))).toBe(error);
  },
);

const getInit = { params: { path: { id: "a" } } };
