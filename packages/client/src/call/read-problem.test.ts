import { expect, test } from "vitest";
import { readProblem, summarise } from "./read-problem.ts";

const read = (body: unknown) => readProblem(JSON.stringify(body), "secret");

test("every member is kept, both standard members and extensions", () => {
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
])("a standard member of the wrong type is omitted: %o", (member) =>
  expect(read({ ...member, traceId: "1" })).toEqual({ traceId: "1" }),
);

test.each([[[]], ["text"], [null], [7], [true]])("JSON that is not an object is not a problem: %j", (body) =>
  expect(read(body)).toBeUndefined(),
);

test.each(["", "<html>", '{"title":'])("a body that is not JSON is not a problem: %j", (text) =>
  expect(readProblem(text, "secret")).toBeUndefined(),
);

test("a secret is redacted from names and values, even when it is escaped", () => {
  expect(readProblem('{"secret":{"deep":["a secret"]},"detail":"\\u0073ecret"}', "secret")).toEqual({
    "[redacted]": { deep: ["a [redacted]"] },
    detail: "[redacted]",
  });
});

test("a member named __proto__ is harmless", () => {
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
])("a standard member with an invalid item is omitted too: %o", (member) =>
  expect(read({ ...member, traceId: "1" })).toEqual({ traceId: "1" }),
);

test("a list of problems is not a problem", () => expect(read([{ title: "t" }])).toBeUndefined());

test("white space may precede problem details", () =>
  expect(readProblem('\r\n {"title":"t"}', "secret")).toEqual({ title: "t" }));

const summariseDetail = (detail: string, body: string | null = null, id?: string) => summarise({ detail }, body, id);

test.each([
  ["to bo@bistro.example", "to [address]"],
  ['"hana@harbour.example" asks', "[address] asks"],
  ["line one\r\n\tline\u0007two", "line one line two"],
  ["d".repeat(501), "d".repeat(500)],
  ["👩\u200d🍳 می\u200cخواهم", "👩\u200d🍳 می\u200cخواهم"],
  [`${"d".repeat(499)}🍳!`, `${"d".repeat(499)}🍳`],
])("%j becomes %j in a message", (detail, summary) => expect(summariseDetail(detail)).toBe(summary));

test.each([[{ title: "Kitchen", details: "Kitchen help" }], [{ title: "Kitchen help", details: "Kitchen" }]])(
  "a string that was sent is hidden completely, even when it contains another: %j",
  (body) =>
    expect(summariseDetail("Kitchen help, Kitchen, kitchen", JSON.stringify(body))).toBe("[sent], [sent], kitchen"),
);

test("strings of at least three characters that were sent are hidden, and so is the id", () => {
  const body = JSON.stringify({ title: "Amy", details: "no", workerIds: ["w_1", 4711, null], events: [{}, {}, {}] });
  expect(summariseDetail("Amy, no, w_1, 4711, null, offer_1", body, "offer_1")).toBe(
    "[sent], no, [sent], 4711, null, [sent]",
  );
  expect(summariseDetail("offer_1")).toBe("offer_1");
});
