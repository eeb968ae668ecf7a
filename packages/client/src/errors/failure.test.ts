import { expect, test } from "vitest";
import { toOffersError } from "./failure.ts";

/** The error that a transport throws if no connection was made. */
class NotSentError extends Error {
  readonly code = "REQUEST_NOT_SENT";

  constructor(cause: Error) {
    super("no connection was made", { cause });
  }
}

const createError = (thrown: unknown, key: string) => toOffersError(thrown, { key });

const getCause = (thrown: unknown) => createError(thrown, "key").cause as { code?: string; syscall?: string };

test("a thrown error without a code results in a cause without a code", () => {
  const { code, syscall } = getCause(new TypeError("fetch failed"));
  expect([code, syscall]).toEqual([undefined, undefined]);
});

test("a code is kept even when the error's cause has none", () => {
  const cause = Object.assign(new Error("refused", { cause: new Error("why") }), { code: "ECONNREFUSED" });
  expect(getCause(new TypeError("fetch failed", { cause })).code).toBe("ECONNREFUSED");
  expect(createError(new TypeError("fetch failed", { cause }), "key").code).toBe("connect_failed");
});

test("an aggregate error that contains undefined is accepted", () => {
  const cause = Object.assign(new AggregateError([undefined]), { code: "EHOSTUNREACH" });
  expect(createError(cause, "key").code).toBe("connection_lost");
});

test.each([undefined, null, "text", 7])("a thrown %j counts as a lost connection", (thrown) =>
  expect(createError(thrown, "key")).toMatchObject({ name: "ConnectionError", code: "connection_lost" }),
);

test.each([
  ["ECONNRESET", "connect_failed", "no connection was made"],
  ["ECONNREFUSED", "connect_failed", "no connection was made"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "tls_failed", "no TLS connection was made"],
])(
  "a request that was certainly not sent is not reported as a lost connection, even with the code %s",
  (code, expected, message) => {
    const failure = createError(new NotSentError(Object.assign(new Error("proxy"), { code })), "key");
    expect(failure).toMatchObject({ code: expected, message: expect.stringMatching(`^${message}`), cause: { code } });
  },
);

test("when the request was certainly not sent, an error without a code results in a cause without a code", () => {
  const failure = createError(new NotSentError(new Error("the proxy is gone")), "key");
  expect(failure.code).toBe("connect_failed");
  expect((failure.cause as { code?: string }).code).toBeUndefined();
});

test("the stack of the cause shows where it was thrown, without the key", () => {
  const askVault = () => new Error("secret-key is sealed");
  const { stack } = createError(askVault(), "secret-key").cause as Error;
  expect(stack).toMatch(/^Error: \[redacted\] is sealed\n.*askVault/);
});

const getErrorCode = (cause: Error): string => createError(new TypeError("fetch failed", { cause }), "key").code;

const createSystemError = (code: string, syscall?: string) =>
  Object.assign(new Error(), { code, ...(syscall && { syscall }) });
/** Creates the error that Node reports for a name with several addresses. It has a code, and one error per address. */
const createAggregateError = (code: string, ...errors: Error[]) => Object.assign(new AggregateError(errors), { code });

test.each([
  ["ECONNREFUSED", createSystemError("ECONNREFUSED")],
  ["ENOTFOUND", createSystemError("ENOTFOUND", "getaddrinfo")],
  ["EAI_AGAIN", createSystemError("EAI_AGAIN", "getaddrinfo")],
  ["UND_ERR_CONNECT_TIMEOUT", createSystemError("UND_ERR_CONNECT_TIMEOUT")],
  ["connect EHOSTUNREACH", createSystemError("EHOSTUNREACH", "connect")],
  ["connect ENETUNREACH", createSystemError("ENETUNREACH", "connect")],
  ["connect ETIMEDOUT", createSystemError("ETIMEDOUT", "connect")],
  ["connect EADDRNOTAVAIL", createSystemError("EADDRNOTAVAIL", "connect")],
  ["connect EACCES", createSystemError("EACCES", "connect")],
  ["connect EPERM", createSystemError("EPERM", "connect")],
  ["connect EMFILE", createSystemError("EMFILE", "connect")],
  ["bind EADDRNOTAVAIL", createSystemError("EADDRNOTAVAIL", "bind")],
  [
    "connect ETIMEDOUT at one address and ECONNREFUSED at the next",
    createAggregateError(
      "ETIMEDOUT",
      createSystemError("ETIMEDOUT", "connect"),
      createSystemError("ECONNREFUSED", "connect"),
    ),
  ],
  [
    "connect ENETUNREACH at every address",
    createAggregateError(
      "ENETUNREACH",
      createSystemError("ENETUNREACH", "connect"),
      createSystemError("ETIMEDOUT", "connect"),
    ),
  ],
])("after %s, the request was not sent", (_what, cause) => expect(getErrorCode(cause)).toBe("connect_failed"));

test.each([
  ["ECONNRESET", createSystemError("ECONNRESET", "read")],
  ["read EHOSTUNREACH", createSystemError("EHOSTUNREACH", "read")],
  ["write ENETUNREACH", createSystemError("ENETUNREACH", "write")],
  ["read ETIMEDOUT", createSystemError("ETIMEDOUT", "read")],
  ["write EPERM", createSystemError("EPERM", "write")],
  ["ETIMEDOUT from an unknown system call", createSystemError("ETIMEDOUT")],
  ["EHOSTUNREACH from an unknown system call", createSystemError("EHOSTUNREACH")],
  [
    "ETIMEDOUT with a read among the members",
    createAggregateError(
      "ETIMEDOUT",
      createSystemError("ETIMEDOUT", "connect"),
      createSystemError("ECONNRESET", "read"),
    ),
  ],
  // How OpenSSL 3.0 and 3.5 report a damaged record, or one that the peer could not read.
  ["a bad record", createSystemError("ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC")],
  ["a bad cipher", createSystemError("ERR_SSL_CIPHER_OPERATION_FAILED")],
  ["an alert about a record", createSystemError("ERR_SSL_SSL/TLS_ALERT_BAD_RECORD_MAC")],
  ["an end of the stream without a close notification", createSystemError("ERR_SSL_UNEXPECTED_EOF_WHILE_READING")],
  ["a write after the end of TLS", createSystemError("ERR_SSL_PROTOCOL_IS_SHUTDOWN")],
  [
    "EHOSTUNREACH with an unknown system call among the members",
    createAggregateError(
      "EHOSTUNREACH",
      createSystemError("EHOSTUNREACH", "connect"),
      createSystemError("EHOSTUNREACH"),
    ),
  ],
  ["EHOSTUNREACH without members", createAggregateError("EHOSTUNREACH")],
])("after %s, the request may have been received", (_what, cause) =>
  expect(getErrorCode(cause)).toBe("connection_lost"),
);

// The codes that node:tls reports: https://nodejs.org/api/tls.html#x509-certificate-error-codes
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
])("%s means that the handshake failed", (code) => expect(getErrorCode(createSystemError(code))).toBe("tls_failed"));

test("an error that is its own cause does not loop forever", () => {
  const circular = Object.assign(createSystemError("ECONNRESET", "read"), { cause: undefined as unknown });
  circular.cause = circular;
  expect(getErrorCode(circular)).toBe("connection_lost");
});

test("the message shows the code instead of OpenSSL's message", () => {
  const cause = Object.assign(new Error("80D2:error:0A00010B:SSL routines:ssl3_get_record:wrong version number"), {
    code: "ERR_SSL_WRONG_VERSION_NUMBER",
  });
  expect(createError(new TypeError("fetch failed", { cause }), "key").message).toBe(
    "no TLS connection was made; the port expects http (ERR_SSL_WRONG_VERSION_NUMBER)",
  );
});
