import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { readResponses, type WireResponse } from "./read-responses.ts";

/** Where bytes are sent. */
export interface Address {
  host: string;
  port: number;
  /** Whether to use TLS, with the system's certificates. */
  isSecure?: boolean;
}

/** The responses that arrived on a connection, and how it ended. */
export interface Exchange {
  responses: WireResponse[];
  /** Whether the exchange ended before the time limit and the size limit. */
  isClosed: boolean;
  /** The code of the error that ended the connection, such as `ECONNREFUSED`. */
  error?: string;
  /** Whether the connection was closed because the other side sent more than {@link maxResponseBytes}. */
  isTooLarge: boolean;
  /** The time until the last response was complete, or the connection ended. */
  durationMs: number;
}

/** Four times the maximum size of a list of suggestions (D-24). A receiver that sends more has no limit. */
export const maxResponseBytes = 4 * 1024 * 1024;

/** Longer than the 5 seconds that a check or a search may take (D-25). */
export const defaultTimeoutMs = 10_000;

/** How long to wait for unexpected bytes after the last response. */
const quietMs = 300;

/** A longer response is not parsed after every chunk, because each parse starts again at the first byte. */
const maxLengthParsedPerChunk = 64 * 1024;

export interface ExchangeOptions {
  /** The methods of the requests that are sent, in order. */
  methods: readonly string[];
  /** `"half"` closes this side of the connection as soon as the bytes are sent. */
  end?: "half" | undefined;
  /** The time limit, from connecting to closing. @default 10,000 */
  timeoutMs?: number;
}

/**
 * Sends bytes over a new connection and reads everything that arrives until the other side closes it. Always ends within the time limit and
 * stops reading at the size limit. Never rejects.
 */
export function exchange(
  address: Address,
  bytes: Uint8Array,
  { methods, end, timeoutMs = defaultTimeoutMs }: ExchangeOptions,
): Promise<Exchange> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    let text = "";
    let durationMs: number | undefined;
    let error: string | undefined;
    const socket = openConnection(address);
    const settle = (isClosed: boolean, isTooLarge = false) => {
      clearTimeout(timer);
      clearTimeout(quietTimer);
      clearTimeout(parseTimer);
      socket.destroy();
      resolve({
        responses: readResponses(text, methods, isClosed),
        isClosed,
        isTooLarge,
        durationMs: durationMs ?? performance.now() - startedAt,
        ...(error !== undefined && { error }),
      });
    };
    const timer = setTimeout(() => settle(false), timeoutMs);
    let quietTimer: NodeJS.Timeout | undefined;
    let parseTimer: NodeJS.Timeout | undefined;
    socket.setEncoding("latin1");
    socket.on("data", (chunk) => {
      text += chunk;
      if (text.length > maxResponseBytes) return settle(false, true);
      if (text.length < maxLengthParsedPerChunk) return endIfComplete();
      parseTimer ??= setTimeout(endIfComplete, 20);
    });
    const endIfComplete = () => {
      parseTimer = undefined;
      if (quietTimer || readResponses(text, methods, false).length < methods.length) return;
      durationMs = performance.now() - startedAt;
      // Closing this side makes a keep-alive receiver close the connection. Anything it still sends is read.
      socket.end();
      quietTimer = setTimeout(() => settle(true), quietMs);
    };
    // A reset may arrive before or after a response, so it does not decide whether there is one.
    socket.on("error", (cause: NodeJS.ErrnoException) => {
      error = cause.code ?? cause.message;
    });
    socket.on("close", () => settle(true));
    if (end === "half") socket.end(bytes);
    else socket.write(bytes);
  });
}

/** Opens a connection, which may not be established yet. */
export function openConnection({ host, port, isSecure = false }: Address): Socket {
  // Node expects an IPv6 address without the brackets that it has in a URL.
  const options = { host: host.replace(/^\[|\]$/g, ""), port, noDelay: true };
  if (!isSecure) return connect(options);
  // An IP address is not a valid server name (RFC 6066, section 3).
  return connectTls({ ...options, ...(isIP(options.host) === 0 && { servername: options.host }) });
}
