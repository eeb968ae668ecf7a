import { expect, test } from "vitest";
import { classifyConnectionError } from "./classify-connection-error.ts";

// https://fetch.spec.whatwg.org/#port-blocking
const blocked = [
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

test("a refused connection to a port that the Fetch standard blocks is a blocked port, and to no other", () => {
  const ports = Array.from({ length: 11_000 }, (_, index) => index + 1);
  const codeOf = (port: number) => classifyConnectionError("ECONNREFUSED", "", false, `http://127.0.0.1:${port}/`)[0];
  expect(ports.filter((port) => codeOf(port) === "port_blocked")).toEqual(blocked);
});

test.each([
  ["CERT_HAS_EXPIRED", "the certificate is out of date; renew it, or set the clock"],
  ["CERT_NOT_YET_VALID", "the certificate is out of date; renew it, or set the clock"],
  ["CERT_REVOKED", "the TLS handshake failed; check the certificate"],
  ["ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE", "the TLS handshake failed; check the certificate"],
])("after %s, %s", (code, fault) => expect(classifyConnectionError(code, "", false)).toEqual(["tls_failed", fault]));
