import { errors } from "undici";
import type { OutboundFailureCode } from "./outbound.ts";

interface Failure {
  code: OutboundFailureCode;
  reason: string;
}

const known: Record<string, Failure> = {
  ENOTFOUND: lookUpFailure("ENOTFOUND"),
  ECONNREFUSED: { code: "connection_refused", reason: "nothing listens at the base address" },
  EADDRNOTAVAIL: { code: "connection_refused", reason: "the base address cannot be reached" },
  EHOSTUNREACH: { code: "connection_refused", reason: "the base address cannot be reached" },
  ENETUNREACH: { code: "connection_refused", reason: "the base address cannot be reached" },
  ETIMEDOUT: { code: "connect_timeout", reason: "no connection in time" },
  UND_ERR_CONNECT_TIMEOUT: { code: "connect_timeout", reason: "no connection in time" },
  ECONNRESET: { code: "connection_lost", reason: "the connection was closed before the response was complete" },
  EPIPE: { code: "connection_lost", reason: "the connection was closed before the response was complete" },
  UND_ERR_SOCKET: { code: "connection_lost", reason: "the connection was closed before the response was complete" },
};

const notHttp: Failure = { code: "protocol_error", reason: "the response is not valid HTTP" };

/**
 * What Node's TLS and OpenSSL's verification call their errors.
 *
 * @see https://nodejs.org/api/tls.html#x509-certificate-error-codes
 */
const tlsCode =
  /^(ERR_TLS|ERR_SSL|EPROTO$|CERT_|CRL_|UNABLE_TO_|ERROR_IN_|DEPTH_ZERO|SELF_SIGNED|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$|HOSTNAME_MISMATCH$|OUT_OF_MEM$|UNSPECIFIED$)/;

/**
 * Names what undici, Node or we ourselves threw. The reason never carries the error's own text: it may name addresses.
 *
 * @throws errors without a code: the other side cannot have caused them
 */
export function classifyError(error: unknown): Failure {
  const { code, syscall, message } = error as { code?: unknown; syscall?: unknown; message: string };
  if (error instanceof errors.HTTPParserError) return notHttp;
  if (typeof code !== "string") throw error;
  // Our own errors speak for themselves.
  if (code === "invalid_address" || code === "forbidden_address" || code === "protocol_error")
    return { code, reason: message };
  // Before all others: that a name server refuses the connection says nothing of the endpoint.
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
