import { Agent } from "undici";
import {
  connectTimeoutMs as defaultConnectTimeoutMs,
  maxReadBytes as defaultMaxReadBytes,
  maxSentBytes,
} from "../../generated/decisions.ts";
import { classifyError } from "./classify-error.ts";
import { type GuardedConnectorOptions, guardedConnector } from "./connect/guarded-connector.ts";
import { isOwnAddress } from "./connect/own-addresses.ts";
import { nameResolver } from "./connect/resolve-name.ts";
import { exchange } from "./exchange.ts";
import { httpAddress, joinAddress } from "./join-address.ts";
import { maskEchoes } from "./mask-echoes.ts";
import type { Outbound, OutboundFailure, OutboundRequest, OutboundResponse, OutboundResult } from "./outbound.ts";
import { OutboundError } from "./outbound-error.ts";
import { redactSignatures } from "./redact-signatures.ts";

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
    const { method, baseAddress, path, parameters, maxReadBytes = defaultMaxReadBytes } = request;
    const url = request.isWholeAddress ? httpAddress(baseAddress) : joinAddress(baseAddress, path, parameters);
    headers = {
      accept: "application/json",
      "user-agent": "offers-platform",
      ...(content !== null && { "content-type": "application/json" }),
      ...request.headers,
      ...request.sign?.(content ?? new Uint8Array()),
    };
    const { origin, pathname, search } = url;
    const options = { origin, path: pathname + search, method, headers, body: content };
    return resultOf(await exchange(agent, options, { ...request, maxReadBytes }));
  } catch (error) {
    return resultOf({ ok: false, ...classifyError(error) });
  }
}

/** Everything of a response that is stored, shown or logged passes through here (D-49). */
function withoutEchoes(outcome: Outcome, { confidential }: OutboundRequest): Outcome {
  if (!outcome.ok || confidential === undefined) return outcome;
  const { body, contentType, truncated } = outcome;
  const type = contentType && maskEchoes(Buffer.from(contentType, "latin1"), confidential).toString("latin1");
  return { ...outcome, body: maskEchoes(body, confidential, truncated), ...(type && { contentType: type }) };
}

type CallField = "durationMs" | "sentHeaders";
type Outcome = Omit<OutboundResponse, CallField> | Omit<OutboundFailure, CallField>;
