import { Agent, type Dispatcher, request as undiciRequest } from "undici";
import {
  connectTimeoutMs as defaultConnectTimeoutMs,
  maxReadBytes as defaultMaxReadBytes,
  maxSentBytes,
} from "../generated/decisions.ts";
import { AttemptDeadline } from "./attempt-deadline.ts";
import { classifyError } from "./classify-error.ts";
import { guardedConnector, type Resolve } from "./connect/guarded-connector.ts";
import { isOwnAddress as isInterfaceAddress } from "./connect/own-addresses.ts";
import { nameResolver } from "./connect/resolve-name.ts";
import { httpAddress, joinAddress } from "./join-address.ts";
import { maskEchoes } from "./mask-echoes.ts";
import type { Outbound, OutboundFailure, OutboundRequest, OutboundResponse, OutboundResult } from "./outbound.ts";
import { redactSignatures } from "./redact-signatures.ts";
import { retryAfterMs } from "./retry-after.ts";

export interface OutboundOptions {
  /** Lets requests go to this very machine. For development and tests only. @default false */
  allowLoopback?: boolean;
  /** For name look-up, connection and TLS together (D-25). @default 3_000 */
  connectTimeoutMs?: number;
  /** All addresses of a name. @default asks the system's name servers */
  resolve?: Resolve;
  /** @default looks at this machine's network interfaces */
  isOwnAddress?: (address: string) => boolean;
}

/** Opens the HTTP client for integrators' endpoints, behind the SSRF guard. Redirects are responses like any other, never followed. */
export function createOutbound(options: OutboundOptions = {}): Outbound {
  const {
    allowLoopback = false,
    connectTimeoutMs = defaultConnectTimeoutMs,
    resolve = nameResolver({ timeoutMs: connectTimeoutMs / 2 }),
    isOwnAddress = isInterfaceAddress,
  } = options;
  const agent = new Agent({
    connect: guardedConnector({ allowLoopback, connectTimeoutMs, resolve, isOwnAddress }),
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
  const end = new AttemptDeadline(request.timeoutMs, request.signal);
  let headers: Record<string, string> | undefined;
  const resultOf = (outcome: Outcome): OutboundResult => ({
    ...withoutEchoes(outcome, request),
    durationMs: Math.round(performance.now() - started),
    ...(headers && { sentHeaders: redactSignatures(headers) }),
  });
  try {
    const content = request.body === undefined ? null : Buffer.from(JSON.stringify(request.body));
    if (content !== null && content.length > maxSentBytes) return resultOf(tooLarge(content.length));
    const { baseAddress, path, parameters } = request;
    const url = request.isWholeAddress ? httpAddress(baseAddress) : joinAddress(baseAddress, path, parameters);
    headers = {
      accept: "application/json",
      "user-agent": "offers-platform",
      ...(content !== null && { "content-type": "application/json" }),
      ...request.headers,
      ...(await request.sign?.(content ?? nothing)),
    };
    return resultOf(await exchange(agent, request, { url, headers, content, end }));
  } catch (error) {
    return resultOf({ ok: false, ...(end.reason ?? classifyError(error)) });
  } finally {
    end.close();
  }
}

/** All that is stored, shown or logged of a response went through here (D-49). */
function withoutEchoes(outcome: Outcome, { confidential }: OutboundRequest): Outcome {
  if (!outcome.ok || confidential === undefined) return outcome;
  const { body, contentType, truncated } = outcome;
  const type = contentType && maskEchoes(Buffer.from(contentType, "latin1"), confidential).toString("latin1");
  return { ...outcome, body: maskEchoes(body, confidential, truncated), ...(type && { contentType: type }) };
}

/** Endless ones, as fast as they come, would take the time of all other attempts. */
const maxInformationalResponses = 64;
const nothing = new Uint8Array();

/** D-24 */
const tooLarge = (bytes: number): Outcome => ({
  ok: false,
  code: "request_too_large",
  reason: `${bytes} bytes; ${maxSentBytes} are the limit`,
});

type WithoutCall<T> = Omit<T, "durationMs" | "sentHeaders">;
type Outcome = WithoutCall<OutboundResponse> | WithoutCall<OutboundFailure>;

interface ReadyRequest {
  url: URL;
  headers: Record<string, string>;
  /** Serialised once: what was signed is what is sent. */
  content: Buffer | null;
  end: AttemptDeadline;
}

async function exchange(
  dispatcher: Agent,
  { method, maxReadBytes = defaultMaxReadBytes }: OutboundRequest,
  { url, headers, content, end }: ReadyRequest,
): Promise<Outcome> {
  const { signal } = end;
  let informationalResponses = 0;
  const onInfo = (): void => {
    informationalResponses += 1;
    if (informationalResponses > maxInformationalResponses)
      end.end({ code: "protocol_error", reason: `more than ${maxInformationalResponses} informational responses` });
  };
  const request = undiciRequest(url, { dispatcher, method, headers, body: content, signal, onInfo });
  const response = await end.orEnd(request);
  const contentType = response.headers["content-type"];
  const wait = retryAfterMs(response.headers["retry-after"], Date.now());
  return {
    ok: true,
    status: response.statusCode,
    ...(typeof contentType === "string" && { contentType }),
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...(await readCapped(response.body, maxReadBytes)),
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
