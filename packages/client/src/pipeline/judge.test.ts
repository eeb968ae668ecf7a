import { expect, test } from "vitest";
import type { OffersError } from "../errors/offers-error.ts";
import { getOffer } from "../operations/get-offer.ts";
import { withdrawOffer } from "../operations/withdraw-offer.ts";
import { judge } from "./judge.ts";

const url = "https://service.example/offer/a";

function errorOf(status: number, text = "", headers: Record<string, string> = {}) {
  const response = { status, headers: new Headers(headers), text: async () => text };
  try {
    judge(withdrawOffer, { response, text }, { url, body: null, maxResponseBytes: 99 }, "key");
  } catch (error) {
    return error as OffersError;
  }
  return expect.unreachable();
}

// 0 is what a browser makes of a redirect that it was told not to follow: https://fetch.spec.whatwg.org/#atomic-http-redirect-handling
test.each([0, 199, 300, 399])("%i acknowledges nothing", (status) =>
  expect(errorOf(status)).toMatchObject({ name: "InvalidResponseError", code: "redirected", status }),
);

test("an answer without the headers says nothing about request and wait", () => {
  const { requestId, retryAfterMs } = errorOf(503);
  expect([requestId, retryAfterMs]).toEqual([undefined, undefined]);
});

test("an answer's request id is told, by either name", () => {
  expect(errorOf(503, "", { "Request-Id": "r1" }).requestId).toBe("r1");
  expect(errorOf(503, "", { "Request-Id": "r1", "X-Request-Id": "r2" }).requestId).toBe("r2");
});

test("a redirect to nowhere has a question mark for its target", () =>
  expect(errorOf(302, "", { location: "http://[" }).message).toContain("not followed (?)"));

const remedy = "change the request; see error.problem";

test("problem details add what they have to the message: title, detail, the names of fields", () => {
  expect(errorOf(400).message).toBe(`400; ${remedy}`);
  expect(errorOf(400, '{"detail":"d"}').message).toBe(`400; d; ${remedy}`);
  expect(errorOf(400, '{"title":"t","errors":{"title":["is required"]}}').message).toBe(`400; t; see title; ${remedy}`);
});

test("an offer whose id is no string is an invalid response", () => {
  const response = { status: 200, headers: new Headers(), text: async () => "" };
  const answer = { response, text: '{"id":7,"events":[],"recipients":[]}' };
  expect(() => judge(getOffer, answer, { url, body: null, maxResponseBytes: 99 }, "key")).toThrow(
    expect.objectContaining({ code: "invalid_response" }),
  );
});
