import { lookup } from "node:dns/promises";
import { Agent, type Dispatcher, request as undiciRequest } from "undici";
import { connectTimeoutMs as defaultConnectTimeoutMs, maxReadBytes, maxSentBytes } from "../generated/decisions.ts";
import { failureOf } from "./failure-of.ts";
import { guardedConnector, type Resolve } from "./guarded-connector.ts";
import { joinAddress } from "./join-address.ts";
import type { Outbound, OutboundAnswer, OutboundFailure, OutboundRequest, OutboundResult } from "./outbound.ts";
import { retryAfterMs } from "./retry-after.ts";

export interface OutboundOptions {
  /** Lets requests go to this very machine. For development and tests only. @default false */
  allowLoopback?: boolean;
  /** For name look-up, connection and TLS together (D-25). @default 3_000 */
  connectTimeoutMs?: number;
  /** All addresses of a name. @default the system's resolver */
  resolve?: Resolve;
}

/** Opens the one way out to integrators. Redirects are answers like any other, never followed. */
export function createOutbound(options: OutboundOptions = {}): Outbound {
  const {
    allowLoopback = false,
    connectTimeoutMs = defaultConnectTimeoutMs,
    resolve = (name) => lookup(name, { all: true, order: "verbatim" }),
  } = options;
  const agent = new Agent({
    connect: guardedConnector({ allowLoopback, connectTimeoutMs, resolve }),
    // The deadline of the whole attempt rules both.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    send: (request) => send(agent, request),
    close: () => agent.destroy(),
  };
}

async function send(agent: Agent, request: OutboundRequest): Promise<OutboundResult> {
  const started = performance.now();
  const durationMs = (): number => Math.round(performance.now() - started);
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), request.timeoutMs);
  try {
    return { ...(await exchange(agent, request, deadline.signal)), durationMs: durationMs() };
  } catch (error) {
    const timeout = { code: "timeout", reason: `no complete answer within ${request.timeoutMs} ms` } as const;
    return { ok: false, ...(deadline.signal.aborted ? timeout : failureOf(error)), durationMs: durationMs() };
  } finally {
    clearTimeout(timer);
  }
}

type WithoutDuration<T> = Omit<T, "durationMs">;

async function exchange(
  dispatcher: Agent,
  request: OutboundRequest,
  signal: AbortSignal,
): Promise<WithoutDuration<OutboundAnswer> | WithoutDuration<OutboundFailure>> {
  const { method, baseAddress, path, parameters, body } = request;
  const content = body === undefined ? null : Buffer.from(JSON.stringify(body));
  // D-24
  if (content !== null && content.length > maxSentBytes)
    return { ok: false, code: "request_too_large", reason: `${content.length} bytes; ${maxSentBytes} are the limit` };
  const headers = {
    accept: "application/json",
    "user-agent": "offers-platform",
    ...(content !== null && { "content-type": "application/json" }),
    ...request.headers,
  };
  const url = joinAddress(baseAddress, path, parameters);
  const answer = await undiciRequest(url, { dispatcher, method, headers, body: content, signal });
  const contentType = answer.headers["content-type"];
  const wait = retryAfterMs(answer.headers["retry-after"], Date.now());
  return {
    ok: true,
    status: answer.statusCode,
    ...(typeof contentType === "string" && { contentType }),
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...(await readCapped(answer.body, request.maxReadBytes ?? maxReadBytes)),
  };
}

async function readCapped(
  body: Dispatcher.ResponseData["body"],
  maxBytes: number,
): Promise<{ body: Buffer; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop closes the connection.
    if (length > maxBytes) return { body: Buffer.concat(chunks).subarray(0, maxBytes), truncated: true };
  }
  return { body: Buffer.concat(chunks), truncated: false };
}
