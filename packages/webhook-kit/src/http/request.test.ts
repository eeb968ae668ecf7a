import { expect, test } from "vitest";
import { duplicated, findHeader } from "./request.ts";

test("finds a header whatever its capitals", () =>
  expect(findHeader(["Host", "a", "TIMESTAMP", "b"], "timestamp")).toBe("b"));

test("does not find a value that looks like the name", () =>
  expect(findHeader(["X-Note", "timestamp", "Host", "a"], "timestamp")).toBeUndefined());

test("reports a header that was sent twice, alike or not", () => {
  expect(findHeader(["Timestamp", "a", "timestamp", "b"], "timestamp")).toBe(duplicated);
  expect(findHeader(["Timestamp", "a", "timestamp", "a"], "timestamp")).toBe(duplicated);
});

test("takes an empty header for a header", () => expect(findHeader(["Timestamp", ""], "timestamp")).toBe(""));

test("a name at the end without a value is no header, and no second one", () => {
  expect(findHeader(["Timestamp"], "timestamp")).toBeUndefined();
  expect(findHeader(["Timestamp", "a", "Timestamp"], "timestamp")).toBe("a");
});
