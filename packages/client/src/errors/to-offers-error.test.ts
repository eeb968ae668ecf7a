import { expect, test } from "vitest";
import { NotSentError } from "../node/not-sent-error.ts";
import { toOffersError } from "./to-offers-error.ts";

const causeOf = (thrown: unknown) => toOffersError(thrown, "key").cause as { code?: string; syscall?: string };

test("what was thrown without a code is told without one", () => {
  const { code, syscall } = causeOf(new TypeError("fetch failed"));
  expect([code, syscall]).toEqual([undefined, undefined]);
});

test("a code counts also when what caused it has none", () => {
  const cause = Object.assign(new Error("refused", { cause: new Error("why") }), { code: "ECONNREFUSED" });
  expect(causeOf(new TypeError("fetch failed", { cause })).code).toBe("ECONNREFUSED");
  expect(toOffersError(new TypeError("fetch failed", { cause }), "key").code).toBe("connect_failed");
});

test("a try that is nothing is told all the same", () => {
  const cause = Object.assign(new AggregateError([undefined]), { code: "EHOSTUNREACH" });
  expect(toOffersError(cause, "key").code).toBe("connection_lost");
});

test.each([undefined, null, "text", 7])("%j, thrown, is a lost connection", (thrown) =>
  expect(toOffersError(thrown, "key")).toMatchObject({ name: "ConnectionError", code: "connection_lost" }),
);

test.each([
  ["ECONNRESET", "connect_failed", "no connection was made"],
  ["HPE_INVALID_CONSTANT", "connect_failed", "no connection was made"],
  ["ECONNREFUSED", "connect_failed", "the connection was refused"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "tls_failed", "the certificate is for another name"],
])("what is known not to have been sent is no lost connection, whatever its code: %s", (code, told, fault) => {
  const failure = toOffersError(new NotSentError(Object.assign(new Error("proxy"), { code })), "key");
  expect(failure).toMatchObject({ code: told, message: expect.stringMatching(`^${fault}`), cause: { code } });
});

test("what is known not to have been sent, without a code, is told without one", () => {
  const failure = toOffersError(new NotSentError(new Error("the proxy is gone")), "key");
  expect(failure.code).toBe("connect_failed");
  expect((failure.cause as { code?: string }).code).toBeUndefined();
});

test("the cause shows where it was thrown, without the key", () => {
  const askVault = () => new Error("secret-key is sealed");
  const { stack } = toOffersError(askVault(), "secret-key").cause as Error;
  expect(stack).toMatch(/^Error: \[redacted\] is sealed\n.*askVault/);
});
