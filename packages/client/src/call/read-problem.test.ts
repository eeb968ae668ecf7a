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

test.each([
  { instance: 1 },
  { code: {} },
  { errors: "" },
  { errors: 7 },
  { errors: { title: ["is required"], details: "is long" } },
  { errors: { title: ["is required", 7] } },
])("a member that is wrong in part is left out too: %o", (member) =>
  expect(read({ ...member, traceId: "1" })).toEqual({ traceId: "1" }),
);

test("a list of problems is no problem", () => expect(read([{ title: "t" }])).toBeUndefined());

test("white space may stand before problem details", () =>
  expect(readProblem('\r\n {"title":"t"}', "secret")).toEqual({ title: "t" }));
