import { errors } from "undici";
import type { EndpointFailureCode } from "./endpoint-client.ts";

/** Thrown if a request could not be sent or got no complete response. The message is for users and contains no secrets. */
export class EndpointError extends Error {
  override readonly name = "EndpointError";
  readonly code: EndpointFailureCode;

  constructor(code: EndpointFailureCode, message: string) {
    super(message);
    this.code = code;
  }
}

interface Failure {
  code: EndpointFailureCode;
  reason: string;
}

const unreachableFailure: Failure = { code: "connection_refused", reason: "the base URL cannot be reached" };
const connectTimeoutFailure: Failure = { code: "connect_timeout", reason: "the connection timed out" };
const connectionLostFailure: Failure = {
  code: "connection_lost",
  reason: "the connection was closed before the response was complete",
};

const failuresByCode: Record<string, Failure> = {
  ENOTFOUND: toLookupFailure("ENOTFOUND"),
  ECONNREFUSED: { code: "connection_refused", reason: "nothing is listening at the base URL" },
  EADDRNOTAVAIL: unreachableFailure,
  EHOSTUNREACH: unreachableFailure,
  ENETUNREACH: unreachableFailure,
  ETIMEDOUT: connectTimeoutFailure,
  UND_ERR_CONNECT_TIMEOUT: connectTimeoutFailure,
  ECONNRESET: connectionLostFailure,
  EPIPE: connectionLostFailure,
  UND_ERR_SOCKET: connectionLostFailure,
};

const invalidHttpFailure: Failure = { code: "protocol_error", reason: "the response is not valid HTTP" };

/**
 * Matches error codes from Node's TLS and from OpenSSL's verification.
 *
 * @see https://nodejs.org/api/tls.html#x509-certificate-error-codes
 */
const tlsCodes =
  /^(ERR_TLS|ERR_SSL|EPROTO$|CERT_|CRL_|UNABLE_TO_|ERROR_IN_|DEPTH_ZERO|SELF_SIGNED|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$|HOSTNAME_MISMATCH$|OUT_OF_MEM$|UNSPECIFIED$)/;

const expiredAdvice = "its certificate has expired: renew it";
const wrongHostNameAdvice = "its certificate is for a different host name: request one for this host name";
const selfSignedAdvice = "its certificate is self-signed: use one from a public certificate authority";
const incompleteChainAdvice =
  "its certificate cannot be verified: use one from a public certificate authority, and send the full chain with its intermediate certificates";
export const notTlsAdvice = "this port does not accept https: use one that does, or start the base URL with http://";

/** The problem for each error code, followed by its remedy if there is a likely one. */
const tlsAdvice: Record<string, string> = {
  CERT_HAS_EXPIRED: expiredAdvice,
  CERT_NOT_YET_VALID: "its certificate is not valid yet: check the clock of the machine that issued it",
  CERT_REVOKED: "its certificate was revoked: request a new one",
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSignedAdvice,
  SELF_SIGNED_CERT_IN_CHAIN: selfSignedAdvice,
  ERR_TLS_CERT_ALTNAME_INVALID: wrongHostNameAdvice,
  HOSTNAME_MISMATCH: wrongHostNameAdvice,
  UNABLE_TO_GET_ISSUER_CERT: incompleteChainAdvice,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: incompleteChainAdvice,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: incompleteChainAdvice,
  EPROTO: notTlsAdvice,
  ERR_SSL_WRONG_VERSION_NUMBER: notTlsAdvice,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: notTlsAdvice,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: "it supports only old TLS versions: enable TLS 1.2 or 1.3",
  ERR_SSL_UNSUPPORTED_PROTOCOL: "it supports only old TLS versions: enable TLS 1.2 or 1.3",
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE:
    "it has no cipher in common with the service, or no certificate for this host name",
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: "it has no certificate for this host name",
};

const tlsReason = (code: string): string =>
  `no trusted https connection: ${tlsAdvice[code] ?? "the TLS handshake failed"} (${code})`;

/**
 * Classifies an error from undici or Node. The reason never quotes the error message, which may contain addresses.
 *
 * @throws the error itself if it has no code, because the receiver cannot have caused such an error
 */
export function classifyError(error: unknown): Failure {
  if (error instanceof EndpointError) return { code: error.code, reason: error.message };
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (error instanceof errors.HTTPParserError) return invalidHttpFailure;
  if (typeof code !== "string") throw error;
  // Check DNS errors first. They may have the same codes as connection errors, but come from the connection to the name server.
  if (typeof syscall === "string" && syscall.startsWith("query")) return toLookupFailure(code);
  const failure = failuresByCode[code];
  if (failure !== undefined) return failure;
  if (syscall === "getaddrinfo" || code.startsWith("EAI_")) return toLookupFailure(code);
  if (tlsCodes.test(code)) return { code: "tls_failed", reason: tlsReason(code) };
  if (code.startsWith("UND_ERR_")) return invalidHttpFailure;
  return { code: "connection_lost", reason: `the connection failed (${code})` };
}

function toLookupFailure(code: string): Failure {
  const problem = code === "ENOTFOUND" || code === "ENODATA" ? "does not exist" : "could not be resolved";
  return { code: "name_not_found", reason: `the host name in the base URL ${problem}` };
}
