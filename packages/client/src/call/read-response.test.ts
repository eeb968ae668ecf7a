import { expect, test } from "vitest";
import { toOffersError } from "../errors/failure.ts";
import { createOffer, getOffer, type Operation, withdrawOffer } from "./operations.ts";
import { readResponse } from "./read-response.ts";

const url = "https://service.example/offer/a";

function errorOf(
  status: number,
  text = "",
  headers: Record<string, string> = {},
  operation: Operation<never, unknown> = withdrawOffer,
) {
  const response = { status, headers: new Headers(headers), text: async () => text };
  try {
    readResponse(operation, response, text, { url, body: null }, 99, "key", undefined, () => {});
  } catch (failure) {
    return toOffersError(failure);
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

const remedy = "change the request";

test("problem details add what they have to the message: title, detail, fields and reasons", () => {
  expect(errorOf(400).message).toBe(`400; ${remedy}`);
  expect(errorOf(400, '{"detail":"d"}').message).toBe(`400; d; ${remedy}`);
  expect(errorOf(400, '{"detail":" d\\n"}').message).toBe(`400; d; ${remedy}`);
  expect(errorOf(400, '{"title":"t","errors":{"title":["is required"]}}').message).toBe(
    `400; t; title: is required; ${remedy}`,
  );
});

test("a detail that points to the fields does not, where they follow", () => {
  const problem = { detail: "2 fields are not valid; see errors.", errors: { title: ["is required"] } };
  expect(errorOf(400, JSON.stringify(problem)).message).toBe(
    `400; 2 fields are not valid; title: is required; ${remedy}`,
  );
  expect(errorOf(400, '{"detail":"2 fields are not valid; see errors."}').message).toBe(
    `400; 2 fields are not valid; see errors.; ${remedy}`,
  );
});

test("of many fields ten are named", () => {
  const errors = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`field${index}`, ["is wrong"]]));
  const { message } = errorOf(400, JSON.stringify({ errors }));
  expect(message).toMatch(/^400; field0: is wrong; .*; field9: is wrong; …; change the request$/);
});

const idRemedy = "check the id, and the key's organisation";

test.each<[string, string, Operation<never, unknown>, string]>([
  ["a creation, which has no id", '{"title":"Not found"}', createOffer, "check the path of baseUrl"],
  ["a path that the service does not have", '{"code":"not_found"}', getOffer, "check the path of baseUrl"],
  ["an offer that the service does not have", '{"code":"offer_not_found"}', getOffer, idRemedy],
  ["a problem without a code", "{}", getOffer, idRemedy],
  ["no problem", "<p>", getOffer, `${idRemedy}; or baseUrl`],
])("the remedy for a 404 depends on what it is about: %s", (_what, text, operation, remedy) =>
  expect(errorOf(404, text, {}, operation).message).toMatch(new RegExp(`; ${remedy}$`)),
);

test("a 408 asks to try again", () => expect(errorOf(408).message).toBe("408; try again"));

test("a 304 asks to leave out conditional headers", () =>
  expect(errorOf(304).message).toBe("304; leave out conditional headers"));

const messageOf = (text: string, type = "") =>
  errorOf(200, text, type ? { "content-type": type } : {}, getOffer).message;

test.each([
  ["", "text/html", "the body is empty"],
  [" \n", "", "the body is empty"],
  ["{", "", "the body is no valid JSON"],
  ["{", "application/yaml", "the body is no valid JSON (application/yaml)"],
  ['{"title":"<p>"', "", "the body is no valid JSON"],
  ["<p>", "", "the body is markup, not JSON"],
  [" <p>", "text/html", "the body is markup, not JSON (text/html)"],
])("the body %j of the type %j is described: %s", (text, type, problem) =>
  expect(messageOf(text, type)).toBe(`200, but ${problem}; check baseUrl`),
);
