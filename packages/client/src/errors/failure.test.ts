import { expect, test } from "vitest";
import { toOffersError as complete } from "./failure.ts";

/** The error that `undiciFetch` throws. */
class NotSentError extends Error {
  readonly code = "REQUEST_NOT_SENT";

  constructor(cause: Error) {
    super("no connection was made", { cause });
  }
}

const toOffersError = (thrown: unknown, key: string) => complete(thrown, { key });

const causeOf = (thrown: unknown) => toOffersError(thrown, "key").cause as { code?: string; syscall?: string };

test("a thrown error without a code results in a cause without one", () => {
  const { code, syscall } = causeOf(new TypeError("fetch failed"));
  expect([code, syscall]).toEqual([undefined, undefined]);
});

test("a code is kept even when the error's cause has none", () => {
  const cause = Object.assign(new Error("refused", { cause: new Error("why") }), { code: "ECONNREFUSED" });
  expect(causeOf(new TypeError("fetch failed", { cause })).code).toBe("ECONNREFUSED");
  expect(toOffersError(new TypeError("fetch failed", { cause }), "key").code).toBe("connect_failed");
});

test("an aggregate error that contains undefined is accepted", () => {
  const cause = Object.assign(new AggregateError([undefined]), { code: "EHOSTUNREACH" });
  expect(toOffersError(cause, "key").code).toBe("connection_lost");
});

test.each([undefined, null, "text", 7])("a thrown %j counts as a lost connection", (thrown) =>
  expect(toOffersError(thrown, "key")).toMatchObject({ name: "ConnectionError", code: "connection_lost" }),
);

test.each([
  ["ECONNRESET", "connect_failed", "no connection was made"],
  ["ECONNREFUSED", "connect_failed", "no connection was made"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "tls_failed", "no TLS connection was made"],
])(
  "a request that was certainly not sent is not a lost connection, whatever the code: %s",
  (code, expected, message) => {
    const failure = toOffersError(new NotSentError(Object.assign(new Error("proxy"), { code })), "key");
    expect(failure).toMatchObject({ code: expected, message: expect.stringMatching(`^${message}`), cause: { code } });
  },
);

test("when the request was certainly not sent, an error without a code results in a cause without a code", () => {
  const failure = toOffersError(new NotSentError(new Error("the proxy is gone")), "key");
  expect(failure.code).toBe("connect_failed");
  expect((failure.cause as { code?: string }).code).toBeUndefined();
});

test("the cause shows where it was thrown, without the key", () => {
  const askVault = () => new Error("secret-key is sealed");
  const { stack } = toOffersError(askVault(), "secret-key").cause as Error;
  expect(stack).toMatch(/^Error: \[redacted\] is sealed\n.*askVault/);
});

const codeAfter = (cause: Error): string => toOffersError(new TypeError("fetch failed", { cause }), "key").code;

const failure = (code: string, syscall?: string) => Object.assign(new Error(), { code, ...(syscall && { syscall }) });
/** Creates the error that Node reports for a name with several addresses: a code, and one error per try. */
const allTries = (code: string, ...tries: Error[]) => Object.assign(new AggregateError(tries), { code });

test.each([
  ["ECONNREFUSED", failure("ECONNREFUSED")],
  ["ENOTFOUND", failure("ENOTFOUND", "getaddrinfo")],
  ["EAI_AGAIN", failure("EAI_AGAIN", "getaddrinfo")],
  ["UND_ERR_CONNECT_TIMEOUT", failure("UND_ERR_CONNECT_TIMEOUT")],
  ["connect EHOSTUNREACH", failure("EHOSTUNREACH", "connect")],
  ["connect ENETUNREACH", failure("ENETUNREACH", "connect")],
  ["connect ETIMEDOUT", failure("ETIMEDOUT", "connect")],
  ["connect EADDRNOTAVAIL", failure("EADDRNOTAVAIL", "connect")],
  ["connect EACCES", failure("EACCES", "connect")],
  ["connect EPERM", failure("EPERM", "connect")],
  ["connect EMFILE", failure("EMFILE", "connect")],
  ["bind EADDRNOTAVAIL", failure("EADDRNOTAVAIL", "bind")],
  [
    "connect ETIMEDOUT at one address and ECONNREFUSED at the next",
    allTries("ETIMEDOUT", failure("ETIMEDOUT", "connect"), failure("ECONNREFUSED", "connect")),
  ],
  [
    "connect ENETUNREACH at every address",
    allTries("ENETUNREACH", failure("ENETUNREACH", "connect"), failure("ETIMEDOUT", "connect")),
  ],
])("after %s nothing was sent", (_what, cause) => expect(codeAfter(cause)).toBe("connect_failed"));

test.each([
  ["ECONNRESET", failure("ECONNRESET", "read")],
  ["read EHOSTUNREACH", failure("EHOSTUNREACH", "read")],
  ["write ENETUNREACH", failure("ENETUNREACH", "write")],
  ["read ETIMEDOUT", failure("ETIMEDOUT", "read")],
  ["write EPERM", failure("EPERM", "write")],
  ["ETIMEDOUT of an unknown call", failure("ETIMEDOUT")],
  ["EHOSTUNREACH of an unknown call", failure("EHOSTUNREACH")],
  [
    "ETIMEDOUT with a read among the tries",
    allTries("ETIMEDOUT", failure("ETIMEDOUT", "connect"), failure("ECONNRESET", "read")),
  ],
  // How OpenSSL 3.0 and 3.5 report a record that breaks, or that the peer could not read.
  ["a bad record", failure("ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC")],
  ["a bad cipher", failure("ERR_SSL_CIPHER_OPERATION_FAILED")],
  ["an alert about a record", failure("ERR_SSL_SSL/TLS_ALERT_BAD_RECORD_MAC")],
  ["an end without a notice", failure("ERR_SSL_UNEXPECTED_EOF_WHILE_READING")],
  ["a write after the end of TLS", failure("ERR_SSL_PROTOCOL_IS_SHUTDOWN")],
  [
    "EHOSTUNREACH with an unknown call among the tries",
    allTries("EHOSTUNREACH", failure("EHOSTUNREACH", "connect"), failure("EHOSTUNREACH")),
  ],
  ["EHOSTUNREACH without a try", allTries("EHOSTUNREACH")],
])("after %s the request may have arrived", (_what, cause) => expect(codeAfter(cause)).toBe("connection_lost"));

// The codes of node:tls: https://nodejs.org/api/tls.html#x509-certificate-error-codes
test.each([
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_SSL_UNSUPPORTED_PROTOCOL",
  "ERR_SSL_NO_PROTOCOLS_AVAILABLE",
  "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE",
  "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
  "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL",
  "ERR_SSL_TLSV1_ALERT_UNKNOWN_CA",
  "ERR_SSL_TLSV1_UNRECOGNIZED_NAME",
  "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
  "ERR_SSL_DH_KEY_TOO_SMALL",
  "ERR_SSL_UNSAFE_LEGACY_RENEGOTIATION_DISABLED",
  "EPROTO",
])("after %s the handshake failed", (code) => expect(codeAfter(failure(code))).toBe("tls_failed"));

test("the search ends at a cause that is its own cause", () => {
  const endless = Object.assign(failure("ECONNRESET", "read"), { cause: undefined as unknown });
  endless.cause = endless;
  expect(codeAfter(endless)).toBe("connection_lost");
});

test("a code is shown in place of OpenSSL's message", () => {
  const cause = Object.assign(new Error("80D2:error:0A00010B:SSL routines:ssl3_get_record:wrong version number"), {
    code: "ERR_SSL_WRONG_VERSION_NUMBER",
  });
  expect(toOffersError(new TypeError("fetch failed", { cause }), "key").message).toBe(
    "no TLS connection was made; the port expects http (ERR_SSL_WRONG_VERSION_NUMBER)",
  );
});
