import { expect, test } from "vitest";
import { toOffersError } from "../errors/failure.ts";
import { createOffer, getOffer, type Operation, withdrawOffer } from "./operations.ts";
import { readResponse } from "./read-response.ts";

function catchError(
  status: number,
  text = "",
  headers: Record<string, string> = {},
  operation: Operation<never, unknown> = withdrawOffer,
) {
  const response = { status, headers: new Headers(headers), text: async () => text };
  try {
    const id = operation === createOffer ? undefined : "offer_1";
    readResponse(operation, { response, text }, { body: null, id, key: "key", maxResponseBytes: 99 }, () => {});
  } catch (failure) {
    return toOffersError(failure, {});
  }
  return expect.unreachable();
}

// Browsers report status 0 for a redirect that they must not follow: https://fetch.spec.whatwg.org/#atomic-http-redirect-handling
test.each([0, 199, 300, 399])("the status %i results in an unexpected_redirect error", (status) =>
  expect(catchError(status)).toMatchObject({ name: "InvalidResponseError", code: "unexpected_redirect", status }),
);

test("without the headers, an error has neither a request id nor a delay", () => {
  const { requestId, retryAfterMs } = catchError(503);
  expect([requestId, retryAfterMs]).toEqual([undefined, undefined]);
});

test("the request id is read from either header", () => {
  expect(catchError(503, "", { "Request-Id": "r1" }).requestId).toBe("r1");
  expect(catchError(503, "", { "Request-Id": "r1", "X-Request-Id": "r2" }).requestId).toBe("r2");
});

const remedy = "change the request";

test("a message includes the problem's title, detail, fields and reasons", () => {
  expect(catchError(400).message).toBe(`400; ${remedy}`);
  expect(catchError(400, '{"detail":"d"}').message).toBe(`400; d; ${remedy}`);
  expect(catchError(400, '{"detail":"d\\n"}').message).toBe(`400; d; ${remedy}`);
  expect(catchError(400, '{"title":"t","errors":{"title":["is required"]}}').message).toBe(
    `400; t; title: is required; ${remedy}`,
  );
});

test.each([204, 404])("the message for a %i says what to check", (status) =>
  expect(catchError(status, "", {}, getOffer).message).toBe(`${status}; check the id, apiKey and baseUrl`),
);

test("the message for a 404 to a creation, which has no id, says to check only baseUrl", () =>
  expect(catchError(404, "", {}, createOffer).message).toBe("404; check baseUrl"));

test("the message for a 405 says to check baseUrl, because the service does not have the path", () =>
  expect(catchError(405, '{"detail":"Allowed methods: GET."}').message).toBe(
    "405; Allowed methods: GET; check baseUrl",
  ));

test("the message for a 408 says to try again", () => expect(catchError(408).message).toBe("408; try later"));

test("a 304 is an invalid response, because it has no body", () =>
  expect(catchError(304).message).toBe("304; the body is not JSON; check baseUrl"));

test.each(["<!doctype html><p>", " <HTML>"])(
  "the message says that the body %j is HTML, and does not quote it",
  (text) => expect(catchError(200, text, {}, getOffer).message).toBe("200; the body is HTML, not JSON; check baseUrl"),
);

test("an error keeps the response's status and known headers, but neither the API key nor other headers [D-144]", () => {
  const knownHeaders = {
    "Retry-After": "7",
    RateLimit: '"key";r=0;t=7',
    "RateLimit-Policy": '"key";q=600;w=60',
    Deprecation: "@1688169599",
    Sunset: "Sun, 30 Jun 2024 23:59:59 GMT",
    "Server-Timing": "db;dur=53, for;desc=key",
    "X-Request-Id": "r-1",
  };
  const error = catchError(429, "", { ...knownHeaders, "Set-Cookie": "session=1", "X-Internal": "secret" });
  expect(error.headers).toEqual({
    "retry-after": "7",
    ratelimit: '"[redacted]";r=0;t=7',
    "ratelimit-policy": '"[redacted]";q=600;w=60',
    deprecation: "@1688169599",
    sunset: "Sun, 30 Jun 2024 23:59:59 GMT",
    "server-timing": "db;dur=53, for;desc=[redacted]",
    "x-request-id": "r-1",
  });
  expect(error).toMatchObject({ requestId: "r-1", retryAfterMs: 7_000 });
  expect(error.rateLimit).toEqual({
    policy: "[redacted]",
    remaining: 0,
    resetAfterMs: 7_000,
    limit: 600,
    windowMs: 60_000,
  });
});

test.each(["", " \n", "{", '{"title":"<p>"', "<p>", "offer_1"])(
  "the message says that the body %j is not JSON, and does not quote it",
  (text) => expect(catchError(200, text, {}, getOffer).message).toBe("200; the body is not JSON; check baseUrl"),
);
