import { expect, test } from "vitest";
import type { OffersError } from "../errors/offers-error.ts";
import { getOffer } from "../operations/get-offer.ts";
import { withdrawOffer } from "../operations/withdraw-offer.ts";
import { parseResponse } from "./parse-response.ts";

const url = "https://service.example/offer/a";

function errorOf(status: number, text = "", headers: Record<string, string> = {}) {
  const response = { status, headers: new Headers(headers), text: async () => text };
  try {
    parseResponse(withdrawOffer, { response, text }, { url, body: null, maxResponseBytes: 99 }, "key");
  } catch (error) {
    return error as OffersError;
  }
  return expect.unreachable();
}

// 0 is what a browser makes of a redirect that it must not follow: https://fetch.spec.whatwg.org/#atomic-http-redirect-handling
test.each([0, 199, 300, 399])("%i acknowledges nothing", (status) =>
  expect(errorOf(status)).toMatchObject({ name: "InvalidResponseError", code: "unexpected_redirect", status }),
);

test("a response without the headers has no request id and no delay", () => {
  const { requestId, retryAfterMs } = errorOf(503);
  expect([requestId, retryAfterMs]).toEqual([undefined, undefined]);
});

test("the request id of a response is read from either header", () => {
  expect(errorOf(503, "", { "Request-Id": "r1" }).requestId).toBe("r1");
  expect(errorOf(503, "", { "Request-Id": "r1", "X-Request-Id": "r2" }).requestId).toBe("r2");
});

test("a redirect to nowhere has a question mark for its target", () =>
  expect(errorOf(302, "", { location: "http://[" }).message).toContain("not followed (?)"));

const remedy = "change the request; see error.problem";

test("problem details add what they have to the message: title, detail, the names of fields", () => {
  expect(errorOf(400).message).toBe(`400; ${remedy}`);
  expect(errorOf(400, '{"detail":"d"}').message).toBe(`400; d; ${remedy}`);
  expect(errorOf(400, '{"detail":" d\\n"}').message).toBe(`400; d; ${remedy}`);
  expect(errorOf(400, '{"title":"t","errors":{"title":["is required"]}}').message).toBe(`400; t; see title; ${remedy}`);
});

test("an offer whose id is no string is an invalid response", () => {
  const response = { status: 200, headers: new Headers(), text: async () => "" };
  const received = { response, text: '{"id":7,"events":[],"recipients":[]}' };
  expect(() => parseResponse(getOffer, received, { url, body: null, maxResponseBytes: 99 }, "key")).toThrow(
    expect.objectContaining({ code: "invalid_response" }),
  );
});

test("ten fields are all named, and of eleven one is counted", () => {
  const message = (count: number) => {
    const errors = Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, ["is wrong"]]));
    return errorOf(400, JSON.stringify({ errors })).message;
  };
  expect(message(10)).toMatch(/see field0, .*, field9; change/);
  expect(message(11)).toMatch(/see field0, .*, field9, 1 more; change/);
});

test("a 408 asks to try again", () => expect(errorOf(408).message).toBe("408; the request came too late; try again"));

test("a 304 asks to leave out conditional headers", () =>
  expect(errorOf(304).message).toBe("304; leave out conditional headers"));

const messageOf = (text: string, type = "") => {
  const response = { status: 200, headers: new Headers(type ? { "content-type": type } : {}), text: async () => text };
  try {
    parseResponse(getOffer, { response, text }, { url, body: null, maxResponseBytes: 99 }, "key");
  } catch (error) {
    return (error as OffersError).message;
  }
  return expect.unreachable();
};

test.each([
  ["", "text/html", "the body is empty"],
  [" \n", "", "the body is empty"],
  ["{", "", "the body is not valid JSON"],
  ["{", "text/plain", "the body is not valid JSON"],
  ["{", "application/yaml", "the body is not valid JSON (application/yaml)"],
  ['{"title":"<p>"', "", "the body is not valid JSON"],
  ["<p>", "", "the body is markup, not JSON"],
  [" <p>", "", "the body is markup, not JSON"],
  [" <p>", "text/html", "the body is markup (text/html), not JSON"],
])("the body %j of the type %j is described: %s", (text, type, fault) =>
  expect(messageOf(text, type)).toBe(`200, but ${fault}; check baseUrl`),
);
