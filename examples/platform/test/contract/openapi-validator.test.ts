import { expect, test } from "vitest";
import { expectDocumented } from "./openapi-validator.ts";

const problem = { type: "urn:x", title: "No", status: 404 };
const createResponse = (
  status: number,
  body: unknown,
  contentType = "application/json",
  moreHeaders: Record<string, string> = {},
) => ({
  status,
  headers: new Headers({ "content-type": contentType, ...moreHeaders }),
  text: body === undefined ? "" : JSON.stringify(body),
});

// Other tests rely on the validator to reject responses that spec/openapi.yaml does not document.
test.each([
  ["POST", "/offer", createResponse(201, { id: "o" }), "lacks the header Location"],
  ["POST", "/offer", createResponse(201, { id: 7 }, "application/json", { Location: "/offer/o" }), "must be string"],
  ["POST", "/offer/o/complete", createResponse(204, {}), "the documented response has no body"],
  ["GET", "/offer/o", createResponse(200, { id: "o" }), "must have required property 'title'"],
  ["GET", "/offer/o", createResponse(404, problem), "the media type application/json is not documented"],
  [
    "GET",
    "/offer/o",
    createResponse(404, { ...problem, errors: { id: "no" } }, "application/problem+json"),
    "must be array",
  ],
  [
    "GET",
    "/offer/o",
    createResponse(409, { ...problem, status: 409 }, "application/problem+json"),
    "409 is not documented",
  ],
  [
    "PUT",
    "/nowhere",
    createResponse(405, { title: "No" }, "application/problem+json"),
    "must have required property 'type'",
  ],
])("the validator rejects an invalid response to %s %s, %#", (method, path, invalid, message) =>
  expect(() => expectDocumented(method, path, invalid)).toThrow(message),
);

test("the validator accepts documented responses", () => {
  expectDocumented(
    "POST",
    "/offer?api-version=1.0",
    createResponse(201, { id: "o" }, undefined, { Location: "/offer/o" }),
  );
  expectDocumented("GET", "/offer/o/withdraw", createResponse(200, undefined));
  expectDocumented("PUT", "/offer", createResponse(405, { ...problem, status: 405 }, "application/problem+json"));
  expectDocumented("GET", "/offer/o", createResponse(404, problem, "application/problem+json; charset=utf-8"));
});
