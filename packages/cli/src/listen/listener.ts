import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Scheme } from "../signature/sign-request.ts";
import { type Verification, verifyRequest } from "../signature/verify-request.ts";
import { events } from "../trigger/events.ts";
import { describeConnectionError, type ReceiverUrl, reasonOf } from "../wire/receiver-url.ts";
import type { FeedFollower, ForwardOnce, PushOutcome } from "./feed-follower.ts";
import { type ForwardedResponse, forward, forwardedPath, servicePathOf } from "./forward.ts";

/** A request that arrived, and its outcome. */
export interface Arrival {
  arrivedAt: Date;
  method: string;
  target: string;
  rawHeaders: readonly string[];
  body: Buffer;
  /** Undefined for GET /test, which is not signed. */
  verification?: Verification;
  status: number;
  durationMs: number;
  /** The URL to which the request was forwarded. */
  forwardedTo?: string;
  /** Why the request could not be forwarded. */
  failure?: string;
  /** Whether the request is an event, which the service retries, and not a check or a search, which the service sends only once. */
  isEvent: boolean;
  /** The event id, if there is one. */
  id?: string;
  /** When the platform recorded the event; set only if the event was read from the feed. */
  recordedAt?: string;
  /** How long until an event that was not acknowledged is forwarded again. */
  retryMs?: number;
  /** Why the webhook was not forwarded. */
  notForwarded?: Exclude<PushOutcome, "forwarded">;
}

export interface ListenerOptions {
  scheme: Scheme;
  secret: string;
  forwardTo?: ReceiverUrl | undefined;
  timeoutMs: number;
  /** Forwards each event once and in order. Without it, each webhook is forwarded as it arrives. */
  follower?: FeedFollower | undefined;
  onArrival(arrival: Arrival): void;
}

/** Shorter than the 15 s that the service waits for the response to an event (D-25). */
const maxTurnWaitMs = 12_000;

/** The service sends at most 256 KiB (D-24). Larger bodies up to this limit are forwarded, to show how the receiver handles them. */
const maxBodyBytes = 8 * 1024 * 1024;

/**
 * Creates a server that verifies and reports each webhook. Without `forwardTo`, it responds like a receiver. With it, it forwards the
 * requests, even requests that fail verification, and returns the receiver's response.
 */
export function createListener(options: ListenerOptions): Server {
  // Longer than the 90 s after which cloudflared closes an idle connection.
  return createServer({ keepAliveTimeout: 130_000 }, (request, response) => {
    // This fails, for example, if the sender closes the connection before its request is complete.
    receive(options, request, response).catch(() => response.destroy());
  });
}

async function receive(options: ListenerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { forwardTo, follower } = options;
  const arrivedAt = new Date();
  const { method = "GET", url: target = "/", rawHeaders, headers } = request;
  const body = await readBody(request);
  const path = target.split("?")[0] ?? "";
  const servicePath = servicePathOf(target);
  const isTest = method === "GET" && servicePath === "/test";
  const verification = isTest
    ? undefined
    : verifyRequest(options.scheme, options.secret, { rawHeaders, body: body ?? Buffer.alloc(0) }, Date.now());
  const isEvent = !events.some(({ isRequest, path: requestPath }) => isRequest && requestPath === servicePath);
  const id = isEvent ? [headers["offers-delivery-id"] ?? headers["webhook-id"]].flat()[0] : undefined;
  const reportArrival = (result: ForwardedResponse, startedAt: number, details: Partial<Arrival> = {}) =>
    options.onArrival({
      arrivedAt,
      method,
      target,
      rawHeaders,
      body: body ?? Buffer.alloc(0),
      status: result.status,
      durationMs: performance.now() - startedAt,
      isEvent,
      ...(id !== undefined && { id }),
      ...(verification && { verification }),
      ...details,
    });
  let result = emptyResponse(503);
  const forwardOnce: ForwardOnce = async (retryMs) => {
    const startedAt = performance.now();
    let failure: string | undefined;
    if (!body) result = emptyResponse(413);
    else if (forwardTo === undefined) result = createReceiverResponse(path, verification);
    else
      try {
        result = await forward(forwardTo, { method, target, rawHeaders, body }, options.timeoutMs);
      } catch (cause) {
        failure = describeFailure(cause, options);
        result = emptyResponse(502);
      }
    const isAcknowledged = result.status === 200;
    reportArrival(result, startedAt, {
      ...(forwardTo && { forwardedTo: `${new URL(forwardTo.href).origin}${forwardedPath(forwardTo, target)}` }),
      ...(failure && { failure }),
      ...(!isAcknowledged && retryMs !== undefined && { retryMs }),
    });
    return isAcknowledged;
  };
  if (follower && id !== undefined && verification?.ok) {
    const startedAt = performance.now();
    const outcome = await follower.forwardInTurn(id, forwardOnce, maxTurnWaitMs);
    if (outcome !== "forwarded") {
      result = emptyResponse(outcome === "repeated" ? 200 : 503);
      reportArrival(result, startedAt, { notForwarded: outcome });
    }
  } else await forwardOnce(undefined);
  writeResponse(response, result);
}

/** Reads the request body. @returns undefined if the body is too large */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Creates the response of a correct receiver: 401 if the verification failed, otherwise 200, with an empty list for a search. */
function createReceiverResponse(path: string, verification: Verification | undefined): ForwardedResponse {
  if (verification && !verification.ok) return emptyResponse(401);
  if (!path.endsWith("/contact-suggestions")) return emptyResponse(200);
  return {
    ...emptyResponse(200),
    rawHeaders: ["Content-Type", "application/json", "Content-Length", "2"],
    body: Buffer.from("[]"),
  };
}

const emptyResponse = (status: number): ForwardedResponse => ({
  status,
  statusText: "",
  body: Buffer.alloc(0),
  rawHeaders: ["Content-Length", "0"],
});

/** Writes the response without Node's own headers, so that it is exactly the receiver's. */
function writeResponse(response: ServerResponse, { status, statusText, rawHeaders, body }: ForwardedResponse): void {
  response.sendDate = false;
  if (statusText === "") response.writeHead(status, rawHeaders);
  else response.writeHead(status, statusText, rawHeaders);
  response.end(body);
}

function describeFailure(cause: unknown, { forwardTo, timeoutMs }: ListenerOptions): string {
  const { code, name, message } = cause as NodeJS.ErrnoException;
  if (name === "TimeoutError" || name === "AbortError")
    return `${forwardTo?.href} did not respond within ${timeoutMs / 1000} s`;
  if (!forwardTo) return message;
  // Only connection errors have a code.
  return code ? describeConnectionError(forwardTo, reasonOf(cause)) : `${forwardTo.href}: ${message}`;
}
