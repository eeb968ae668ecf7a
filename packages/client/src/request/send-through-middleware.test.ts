import { expect, test } from "vitest";
import { sendThroughMiddleware } from "./send-through-middleware.ts";

const codeAfter = async (cause: Error): Promise<string> => {
  const request = {
    operation: "CreateOffer",
    attempt: 1,
    method: "POST",
    url: "https://service.example/offer",
    headers: {},
    body: "{}",
    maxResponseBytes: 99,
    signal: new AbortController().signal,
  } as const;
  const fetch = () => Promise.reject(new TypeError("fetch failed", { cause }));
  return sendThroughMiddleware(request, { fetch }, "key").then(
    () => expect.unreachable(),
    (error) => error.code,
  );
};

const failure = (code: string, syscall?: string) => Object.assign(new Error(), { code, ...(syscall && { syscall }) });
/** As Node reports a name with several addresses: a code, and an error for each try. */
const allTries = (code: string, ...tries: Error[]) => Object.assign(new AggregateError(tries), { code });

test.each([
  ["ECONNREFUSED", failure("ECONNREFUSED")],
  ["ENOTFOUND", failure("ENOTFOUND", "getaddrinfo")],
  ["EAI_AGAIN", failure("EAI_AGAIN", "getaddrinfo")],
  ["UND_ERR_CONNECT_TIMEOUT", failure("UND_ERR_CONNECT_TIMEOUT")],
  ["connect EHOSTUNREACH", failure("EHOSTUNREACH", "connect")],
  ["connect ENETUNREACH", failure("ENETUNREACH", "connect")],
  [
    "connect ENETUNREACH at every address",
    allTries("ENETUNREACH", failure("ENETUNREACH", "connect"), failure("ETIMEDOUT", "connect")),
  ],
])("after %s nothing has left", async (_what, cause) => expect(await codeAfter(cause)).toBe("connect_failed"));

test.each([
  ["ECONNRESET", failure("ECONNRESET", "read")],
  ["read EHOSTUNREACH", failure("EHOSTUNREACH", "read")],
  ["write ENETUNREACH", failure("ENETUNREACH", "write")],
  ["EHOSTUNREACH of an unknown call", failure("EHOSTUNREACH")],
  [
    "EHOSTUNREACH with an unknown call among the tries",
    allTries("EHOSTUNREACH", failure("EHOSTUNREACH", "connect"), failure("EHOSTUNREACH")),
  ],
  ["EHOSTUNREACH without a try", allTries("EHOSTUNREACH")],
])("after %s it may have arrived", async (_what, cause) => expect(await codeAfter(cause)).toBe("connection_lost"));

// As node:tls names them: https://nodejs.org/api/tls.html#x509-certificate-error-codes
test.each([
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "EPROTO",
])("after %s the handshake failed", async (code) => expect(await codeAfter(failure(code))).toBe("tls_failed"));

test("a cause that is its own cause ends the search", async () => {
  const endless = Object.assign(failure("ECONNRESET", "read"), { cause: undefined as unknown });
  endless.cause = endless;
  expect(await codeAfter(endless)).toBe("connection_lost");
});
