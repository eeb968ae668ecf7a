import { Agent, type Dispatcher, request as undiciRequest } from "undici";
import {
  connectTimeoutMs as defaultConnectTimeoutMs,
  maxReadBytes as defaultMaxReadBytes,
  maxSentBytes,
} from "../generated/decisions.ts";
import { AttemptDeadline } from "./attempt-deadline.ts";
import { classifyError } from "./classify-error.ts";
import { type GuardedConnectorOptions, guardedConnector } from "./connect/guarded-connector.ts";
import { isOwnAddress } from "./connect/own-addresses.ts";
import { nameResolver } from "./connect/resolve-name.ts";
import { startOnlyIf } from "./connect/start-only-if.ts";
import { httpAddress, joinAddress } from "./join-address.ts";
import { maskEchoes } from "./mask-echoes.ts";
import type { Outbound, OutboundFailure, OutboundRequest, OutboundResponse, OutboundResult } from "./outbound.ts";
import { OutboundError } from "./outbound-error.ts";
import { redactSignatures } from "./redact-signatures.ts";
import { retryAfterMs } from "./retry-after.ts";

/** Each has a default. */
export type OutboundOptions = Partial<GuardedConnectorOptions>;

/** Opens the HTTP client for integrators' endpoints, behind the SSRF guard. Redirects are returned, not followed. */
export function createOutbound({
  connectTimeoutMs = defaultConnectTimeoutMs,
  ...guard
}: OutboundOptions = {}): Outbound {
  const resolve = nameResolver({ timeoutMs: connectTimeoutMs / 2 });
  const agent = new Agent({
    connect: guardedConnector({ allowLoopback: false, connectTimeoutMs, resolve, isOwnAddress, ...guard }),
    // The deadline of the attempt covers both.
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
  const deadline = new AttemptDeadline(request.timeoutMs, request.signal);
  let headers: Record<string, string> | undefined;
  const resultOf = (outcome: Outcome): OutboundResult => ({
    ...withoutEchoes(outcome, request),
    durationMs: Math.round(performance.now() - started),
    ...(headers && { sentHeaders: redactSignatures(headers) }),
  });
  try {
    const content = request.body === undefined ? null : Buffer.from(JSON.stringify(request.body));
    if (content !== null && content.length > maxSentBytes)
      throw new OutboundError("request_too_large", `${content.length} bytes; ${maxSentBytes} are the limit`);
    const { baseAddress, path, parameters } = request;
    const url = request.isWholeAddress ? httpAddress(baseAddress) : joinAddress(baseAddress, path, parameters);
    headers = {
      accept: "application/json",
      "user-agent": "offers-platform",
      ...(content !== null && { "content-type": "application/json" }),
      ...request.headers,
      ...(await request.sign?.(content ?? new Uint8Array())),
    };
    return resultOf(await exchange(agent, request, { url, headers, content, deadline }));
  } catch (error) {
    const { signal } = deadline;
    return resultOf({ ok: false, ...classifyError(signal.aborted ? signal.reason : error) });
  } finally {
    deadline.close();
  }
}

/** Everything of a response that is stored, shown or logged passes through here (D-49). */
function withoutEchoes(outcome: Outcome, { confidential }: OutboundRequest): Outcome {
  if (!outcome.ok || confidential === undefined) return outcome;
  const { body, contentType, truncated } = outcome;
  const type = contentType && maskEchoes(Buffer.from(contentType, "latin1"), confidential).toString("latin1");
  return { ...outcome, body: maskEchoes(body, confidential, truncated), ...(type && { contentType: type }) };
}

/** An endless sequence of them would take the time of all other attempts. */
const maxInformationalResponses = 64;

type CallField = "durationMs" | "sentHeaders";
type Outcome = Omit<OutboundResponse, CallField> | Omit<OutboundFailure, CallField>;

interface ReadyRequest {
  url: URL;
  headers: Record<string, string>;
  /** Serialised once, so that the signed bytes are sent. */
  content: Buffer | null;
  deadline: AttemptDeadline;
}

async function exchange(
  agent: Agent,
  { method, maxReadBytes = defaultMaxReadBytes, mayStart }: OutboundRequest,
  { url, headers, content, deadline }: ReadyRequest,
): Promise<Outcome> {
  const { signal } = deadline;
  let informationalResponses = 0;
  const onInfo = (): void => {
    informationalResponses += 1;
    if (informationalResponses > maxInformationalResponses)
      deadline.abort("protocol_error", `more than ${maxInformationalResponses} informational responses`);
  };
  const dispatcher = mayStart === undefined ? agent : agent.compose(startOnlyIf(mayStart));
  const responding = undiciRequest(url, { dispatcher, method, headers, body: content, signal, onInfo });
  const response = await deadline.race(responding);
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
