import { errors } from "undici";
import type { OutboundFailureCode } from "./outbound.ts";

interface Failure {
  code: OutboundFailureCode;
  reason: string;
}

const known: Record<string, Failure> = {
  ENOTFOUND: { code: "name_not_found", reason: "the name in the base address does not exist" },
  EAI_AGAIN: { code: "name_not_found", reason: "the name in the base address could not be looked up" },
  ECONNREFUSED: { code: "connection_refused", reason: "nothing listens at the base address" },
  EHOSTUNREACH: { code: "connection_refused", reason: "the base address cannot be reached" },
  ENETUNREACH: { code: "connection_refused", reason: "the base address cannot be reached" },
  ETIMEDOUT: { code: "connect_timeout", reason: "no connection in time" },
  UND_ERR_CONNECT_TIMEOUT: { code: "connect_timeout", reason: "no connection in time" },
  ECONNRESET: { code: "connection_lost", reason: "the connection was closed before the answer was complete" },
  EPIPE: { code: "connection_lost", reason: "the connection was closed before the answer was complete" },
  UND_ERR_SOCKET: { code: "connection_lost", reason: "the connection was closed before the answer was complete" },
};

/**
 * Names what undici, Node or we ourselves threw. The reason never carries the error's own text: it may name addresses.
 *
 * @throws what nobody on the other side can have caused
 */
export function failureOf(error: unknown): Failure {
  const { code = "", message } = error as { code?: string; message: string };
  // Our own errors speak for themselves.
  if (code === "invalid_address" || code === "forbidden_address") return { code, reason: message };
  const failure = known[code];
  if (failure !== undefined) return failure;
  if (/^(ERR_TLS|ERR_SSL|EPROTO$|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH)/.test(code))
    return { code: "tls_failed", reason: `no trusted https connection (${code})` };
  if (error instanceof errors.HTTPParserError || code.startsWith("UND_ERR_"))
    return { code: "protocol_error", reason: "the answer is not valid HTTP" };
  throw error;
}
