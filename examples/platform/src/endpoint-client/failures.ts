import { errors } from "undici";
import type { EndpointFailureCode } from "./endpoint-client.ts";

/** A request could not be made, or got no complete response. The message is for people and contains no secret. */
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

const unreachable: Failure = { code: "connection_refused", reason: "the base address cannot be reached" };
const late: Failure = { code: "connect_timeout", reason: "no connection in time" };
const lost: Failure = {
  code: "connection_lost",
  reason: "the connection was closed before the response was complete",
};

const known: Record<string, Failure> = {
  ENOTFOUND: lookUpFailure("ENOTFOUND"),
  ECONNREFUSED: { code: "connection_refused", reason: "nothing listens at the base address" },
  EADDRNOTAVAIL: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ETIMEDOUT: late,
  UND_ERR_CONNECT_TIMEOUT: late,
  ECONNRESET: lost,
  EPIPE: lost,
  UND_ERR_SOCKET: lost,
};

const notHttp: Failure = { code: "protocol_error", reason: "the response is not valid HTTP" };

/**
 * Codes of Node's TLS and of OpenSSL's verification.
 *
 * @see https://nodejs.org/api/tls.html#x509-certificate-error-codes
 */
const tlsCode =
  /^(ERR_TLS|ERR_SSL|EPROTO$|CERT_|CRL_|UNABLE_TO_|ERROR_IN_|DEPTH_ZERO|SELF_SIGNED|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$|HOSTNAME_MISMATCH$|OUT_OF_MEM$|UNSPECIFIED$)/;

/**
 * Classifies an error of undici or Node. The reason never contains the error's message, which may name addresses.
 *
 * @throws rethrows an error without a code: the receiver cannot have caused it
 */
export function classifyError(error: unknown): Failure {
  if (error instanceof EndpointError) return { code: error.code, reason: error.message };
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (error instanceof errors.HTTPParserError) return notHttp;
  if (typeof code !== "string") throw error;
  // Checked first: in a DNS query, these codes refer to the connection to the name server, not to the endpoint.
  if (typeof syscall === "string" && syscall.startsWith("query")) return lookUpFailure(code);
  const failure = known[code];
  if (failure !== undefined) return failure;
  if (syscall === "getaddrinfo" || code.startsWith("EAI_")) return lookUpFailure(code);
  if (tlsCode.test(code)) return { code: "tls_failed", reason: `no trusted https connection (${code})` };
  if (code.startsWith("UND_ERR_")) return notHttp;
  return { code: "connection_lost", reason: `the connection failed (${code})` };
}

function lookUpFailure(code: string): Failure {
  const what = code === "ENOTFOUND" || code === "ENODATA" ? "does not exist" : "could not be looked up";
  return { code: "name_not_found", reason: `the name in the base address ${what}` };
}
