import { expect, test } from "vitest";
import { toFailure } from "./to-failure.ts";

const causeOf = (thrown: unknown) => toFailure(thrown, "key").cause as { code?: string; syscall?: string };

test("what was thrown without a code is told without one", () => {
  const { code, syscall } = causeOf(new TypeError("fetch failed"));
  expect([code, syscall]).toEqual([undefined, undefined]);
});

test("a code counts also when what caused it has none", () => {
  const cause = Object.assign(new Error("refused", { cause: new Error("why") }), { code: "ECONNREFUSED" });
  expect(causeOf(new TypeError("fetch failed", { cause })).code).toBe("ECONNREFUSED");
  expect(toFailure(new TypeError("fetch failed", { cause }), "key").code).toBe("connection_not_made");
});

test("a try that is nothing is told all the same", () => {
  const cause = Object.assign(new AggregateError([undefined]), { code: "EHOSTUNREACH" });
  expect(toFailure(cause, "key").code).toBe("connection_lost");
});

test.each([undefined, null, "text", 7])("%j, thrown, is a lost connection", (thrown) =>
  expect(toFailure(thrown, "key")).toMatchObject({ name: "ConnectionError", code: "connection_lost" }),
);
