import { expect, test } from "vitest";
import { readProblem, summarise } from "./read-problem.ts";

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

const detailIn = (detail: string, body: string | null = null, id?: string) => summarise({ detail }, body, id);

test.each([
  ["to bo@bistro.example", "to [address]"],
  ['"hana@harbour.example" asks', "[address] asks"],
  ["line one\r\n\tline\u0007two", "line one line two"],
  ["d".repeat(501), "d".repeat(500)],
])("of %j a message holds %j", (detail, shown) => expect(detailIn(detail)).toBe(shown));

test.each([[{ title: "Kitchen", details: "Kitchen help" }], [{ title: "Kitchen help", details: "Kitchen" }]])(
  "a text that was sent is hidden whole, also where another is part of it: %j",
  (body) => expect(detailIn("Kitchen help, Kitchen, kitchen", JSON.stringify(body))).toBe("[sent], [sent], kitchen"),
);

test("hidden are the strings of three characters or more that a body holds, and the id", () => {
  const body = JSON.stringify({ title: "Amy", details: "no", workerIds: ["w_1", 4711, null], events: [{}, {}, {}] });
  expect(detailIn("Amy, no, w_1, 4711, null, offer_1", body, "offer_1")).toBe("[sent], no, [sent], 4711, null, [sent]");
  expect(detailIn("offer_1")).toBe("offer_1");
});
