import { expect, test } from "vitest";
import { NotSentError } from "../node/not-sent-error.ts";
import { toOffersError } from "./to-offers-error.ts";

const causeOf = (thrown: unknown) => toOffersError(thrown, "key").cause as { code?: string; syscall?: string };

test("a thrown error without a code results in a cause without one", () => {
  const { code, syscall } = causeOf(new TypeError("fetch failed"));
  expect([code, syscall]).toEqual([undefined, undefined]);
});

test("a code counts also when what caused it has none", () => {
  const cause = Object.assign(new Error("refused", { cause: new Error("why") }), { code: "ECONNREFUSED" });
  expect(causeOf(new TypeError("fetch failed", { cause })).code).toBe("ECONNREFUSED");
  expect(toOffersError(new TypeError("fetch failed", { cause }), "key").code).toBe("connect_failed");
});

test("an aggregate error may contain undefined", () => {
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
])(
  "a request known not to have been sent is not a lost connection, whatever the code: %s",
  (code, expected, message) => {
    const failure = toOffersError(new NotSentError(Object.assign(new Error("proxy"), { code })), "key");
    expect(failure).toMatchObject({ code: expected, message: expect.stringMatching(`^${message}`), cause: { code } });
  },
);

test("a request known not to have been sent, without a code, has a cause without one", () => {
  const failure = toOffersError(new NotSentError(new Error("the proxy is gone")), "key");
  expect(failure.code).toBe("connect_failed");
  expect((failure.cause as { code?: string }).code).toBeUndefined();
});

test("the cause shows where it was thrown, without the key", () => {
  const askVault = () => new Error("secret-key is sealed");
  const { stack } = toOffersError(askVault(), "secret-key").cause as Error;
  expect(stack).toMatch(/^Error: \[redacted\] is sealed\n.*askVault/);
});
