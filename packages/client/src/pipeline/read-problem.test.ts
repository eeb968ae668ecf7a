import { expect, test } from "vitest";
import { readProblem } from "./read-problem.ts";

const read = (body: unknown) => readProblem(JSON.stringify(body), "secret");

test("every member is kept, the standard's and the extensions", () => {
  const problem = {
    type: "about:blank",
    title: "t",
    status: 400,
    detail: "d",
    instance: "/x",
    code: "c",
    a: [1],
    b: null,
  };
  expect(read({ ...problem, errors: { title: ["is required"] } })).toEqual({
    ...problem,
    errors: { title: ["is required"] },
  });
});

test.each([
  { title: 1 },
  { detail: null },
  { type: {} },
  { status: "400" },
  { errors: ["title is required"] },
  { errors: { title: "is required" } },
  { errors: { title: [7] } },
  { errors: null },
])("a standard member of another type is left out: %o", (member) =>
  expect(read({ ...member, traceId: "1" })).toEqual({ traceId: "1" }),
);

test.each([[[]], ["text"], [null], [7], [true]])("%j is no problem", (body) => expect(read(body)).toBeUndefined());

test.each(["", "<html>", '{"title":'])("%j is no problem", (text) =>
  expect(readProblem(text, "secret")).toBeUndefined(),
);

test("a secret is redacted from names and values, even one that is written in escapes", () => {
  expect(readProblem('{"secret":{"deep":["a secret"]},"detail":"\\u0073ecret"}', "secret")).toEqual({
    "[redacted]": { deep: ["a [redacted]"] },
    detail: "[redacted]",
  });
});

test("a member named __proto__ does no harm", () => {
  const problem = readProblem('{"__proto__":{"polluted":true},"title":"t"}', "secret");
  expect(problem?.title).toBe("t");
  expect("polluted" in {}).toBe(false);
});
