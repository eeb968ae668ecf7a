import { expect, test } from "vitest";
import { invalidRequest, ProblemError } from "./problem-error.ts";

test("a problem has the status of its kind", () =>
  expect(new ProblemError("offer_not_found", "Look again.")).toMatchObject({
    name: "ProblemError",
    code: "offer_not_found",
    status: 404,
    message: "Look again.",
    errors: undefined,
    extensions: {},
    headers: {},
  }));

test.each([
  [["title"], "1 field is not valid; see errors."],
  [["title", "workerIds"], "2 fields are not valid; see errors."],
])("%j: %s", (fields, detail) => {
  const errors = new Map(fields.map((field) => [field, ["Add this field; it is required."]]));
  expect(invalidRequest(errors)).toMatchObject({ code: "invalid_request", status: 400, message: detail, errors });
});

test("says so when there are too many fields to name", () => {
  const errors = new Map(Array.from({ length: 100 }, (_, index) => [`workerIds[${index}]`, ["Correct it."]]));
  expect(invalidRequest(errors).message).toBe("100 fields or more are not valid; errors names the first 100.");
});

test("a problem under another status keeps its code", () => {
  const problem = new ProblemError("invalid_request", "See errors.", {
    errors: new Map([["title", ["Do not leave it empty."]]]),
    extensions: { checks: [1] },
    headers: { Allow: "GET" },
  });
  const { code, message, errors, extensions, headers } = problem;
  expect(problem.withStatus(422)).toMatchObject({ status: 422, code, message, errors, extensions, headers });
  expect(problem.status).toBe(400);
});
