import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express from "express";
import { expect, test } from "vitest";
import { StoreError } from "../store/store.ts";
import { invalidRequest, ProblemError, problemHandler, toProblem } from "./problem.ts";

test("a problem has the status of its code", () =>
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
])("summarises the invalid fields %j as %j", (fields, detail) => {
  const errors = new Map(fields.map((field) => [field, ["Add this field; it is required."]]));
  expect(invalidRequest(errors)).toMatchObject({ code: "invalid_request", status: 400, message: detail, errors });
});

test.each([
  ["database_lost", /Nothing was changed/],
  ["commit_uncertain", /may have been made/],
  ["store_stopped", /may or may not have been made/],
] as const)(
  "responds with 503 and Retry-After when the store fails with %s, and reports whether a change was made [D-145]",
  (code, detail) =>
    expect(toProblem(new StoreError(code, "of the store"))).toMatchObject({
      status: 503,
      code: "service_unavailable",
      headers: { "Retry-After": "1" },
      message: expect.stringMatching(detail),
    }),
);

test("reports how many fields the response lists when more fields are invalid", () => {
  const errors = new Map(Array.from({ length: 100 }, (_, index) => [`workerIds[${index}]`, ["Correct it."]]));
  expect(invalidRequest(errors).message).toBe('At least 100 fields are not valid; "errors" lists the first 100.');
});

test("withStatus changes only the status of a problem", () => {
  const problem = new ProblemError("invalid_request", "See errors.", {
    errors: new Map([["title", ["Do not leave it empty."]]]),
    extensions: { checks: [1] },
    headers: { Allow: "GET" },
  });
  const { code, message, errors, extensions, headers } = problem;
  expect(problem.withStatus(422)).toMatchObject({ status: 422, code, message, errors, extensions, headers });
  expect(problem.status).toBe(400);
});

/** Requests a route that throws. @returns the response and the unexpected errors that were reported */
async function fetchFailingRoute(thrown: unknown, beforeThrow?: (response: express.Response) => void) {
  const unexpected: unknown[] = [];
  const app = express();
  app.get("/", (_request, response) => {
    response.set("X-Request-Id", "r1");
    beforeThrow?.(response);
    throw thrown;
  });
  app.use(problemHandler((error) => unexpected.push(error)));
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    return { status: response.status, headers: response.headers, text: await response.text(), unexpected };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test("sends a problem with its headers, fields and extension members [D-113]", async () => {
  const errors = new Map([["workerIds", ["Choose at least one worker."]]]);
  const problem = new ProblemError("method_not_allowed", "Allowed methods: GET.", {
    errors,
    extensions: { checks: [1] },
    headers: { Allow: "GET" },
  });
  const { status, headers, text, unexpected } = await fetchFailingRoute(problem);
  expect(status).toBe(405);
  expect(headers.get("allow")).toBe("GET");
  expect(headers.get("content-type")).toMatch(/^application\/problem\+json/);
  expect(JSON.parse(text)).toEqual({
    type: "https://github.com/offers/offers/blob/main/docs/errors.md#method_not_allowed",
    title: "Method not allowed",
    status: 405,
    detail: "Allowed methods: GET.",
    instance: "urn:offers:request:r1",
    code: "method_not_allowed",
    errors: { workerIds: ["Choose at least one worker."] },
    checks: [1],
  });
  expect(unexpected).toEqual([]);
});

test.each([new TypeError("password=hunter2"), "hunter2", Object.assign(new Error("hunter2"), { status: 404 })])(
  "responds with 500 to any other error and reveals nothing about it, %#",
  async (thrown) => {
    const { status, text, unexpected } = await fetchFailingRoute(thrown);
    expect(status).toBe(500);
    expect(JSON.parse(text)).toMatchObject({ code: "internal_error" });
    expect(text).not.toMatch(/hunter2|\.ts|node_modules/);
    expect(unexpected).toHaveLength(1);
  },
);

test("does not report service_unavailable as an unexpected error", async () =>
  expect(await fetchFailingRoute(new ProblemError("service_unavailable", "Try again in a moment."))).toMatchObject({
    status: 503,
    unexpected: [],
  }));

test("resets the connection of an incomplete response, so that no client considers it complete", async () => {
  const incomplete = fetchFailingRoute(new Error("too late"), (response) => void response.write("half"));
  await expect(incomplete).rejects.toThrow(TypeError);
});
