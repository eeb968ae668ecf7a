import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Scheme } from "../signature/sign-request.ts";
import { type Verification, verifyRequest } from "../signature/verify-request.ts";
import { events } from "../trigger/events.ts";
import { describeConnectionError, type ReceiverUrl } from "../wire/receiver-url.ts";
import type { FeedFollower, ForwardOnce, Turn } from "./feed-follower.ts";
import { type ForwardedResponse, forward, forwardedPath, servicePathOf } from "./forward.ts";

/** One request that arrived, and its outcome. */
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
  /** Where the request was forwarded to. */
  forwardedTo?: string;
  /** Why the request could not be forwarded. */
  failure?: string;
  /** Whether it is an event, rather than a check or a search, which the service sends only once. */
  isEvent: boolean;
  /** The event's id, if it has one. */
  id?: string;
  /** When the platform recorded an event that came from the feed. The listener signs its bytes. */
  recordedAt?: string;
  /** When an event that was not acknowledged is forwarded again. */
  retryMs?: number;
  /** Why the webhook was not forwarded. */
  turn?: Exclude<Turn, "forwarded">;
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

/** Shorter than the service waits for the response to an event, which is 15 s (D-25). */
const turnMs = 12_000;

/** The service sends at most 256 KiB (D-24). Larger bodies are let through, to see what a receiver does with them. */
const maxBodyBytes = 8 * 1024 * 1024;

/**
 * Creates a server that verifies and reports each webhook. It responds like a receiver, or forwards the request, whether verified or not,
 * and returns the receiver's response.
 */
export function createListener(options: ListenerOptions): Server {
  // Longer than a tunnel keeps an idle connection: cloudflared 90 s.
  return createServer({ keepAliveTimeout: 130_000 }, (request, response) => {
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
  const isEvent = !events.some(({ isRequest, path: ofRequest }) => isRequest && ofRequest === servicePath);
  const id = isEvent ? [headers["offers-delivery-id"] ?? headers["webhook-id"]].flat()[0] : undefined;
  const report = (result: ForwardedResponse, startedAt: number, more: Partial<Arrival> = {}) =>
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
      ...more,
    });
  let result = plain(503);
  const forwardOnce: ForwardOnce = async (retryMs) => {
    const startedAt = performance.now();
    let failure: string | undefined;
    if (!body) result = plain(413);
    else if (forwardTo === undefined) result = respond(path, verification);
    else
      try {
        result = await forward(forwardTo, { method, target, rawHeaders, body }, options.timeoutMs);
      } catch (cause) {
        failure = reasonOf(cause, options);
        result = plain(502);
      }
    const isAcknowledged = result.status === 200;
    report(result, startedAt, {
      ...(forwardTo && { forwardedTo: `${new URL(forwardTo.href).origin}${forwardedPath(forwardTo, target)}` }),
      ...(failure && { failure }),
      ...(!isAcknowledged && retryMs !== undefined && { retryMs }),
    });
    return isAcknowledged;
  };
  if (follower && id !== undefined && verification?.ok) {
    const startedAt = performance.now();
    const turn = await follower.takeTurn(id, forwardOnce, turnMs);
    if (turn !== "forwarded") {
      result = plain(turn === "repeated" ? 200 : 503);
      report(result, startedAt, { turn });
    }
  } else await forwardOnce(undefined);
  write(response, result);
}

/** @returns undefined for a body that is too large */
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

function respond(path: string, verification: Verification | undefined): ForwardedResponse {
  if (verification && !verification.ok) return plain(401);
  if (!path.endsWith("/contact-suggestions")) return plain(200);
  return {
    ...plain(200),
    rawHeaders: ["Content-Type", "application/json", "Content-Length", "2"],
    body: Buffer.from("[]"),
  };
}

const plain = (status: number): ForwardedResponse => ({
  status,
  statusText: "",
  body: Buffer.alloc(0),
  rawHeaders: ["Content-Length", "0"],
});

/** Writes the response without Node's own headers, so that it is exactly the receiver's. */
function write(response: ServerResponse, { status, statusText, rawHeaders, body }: ForwardedResponse): void {
  response.sendDate = false;
  if (statusText === "") response.writeHead(status, rawHeaders);
  else response.writeHead(status, statusText, rawHeaders);
  response.end(body);
}

function reasonOf(cause: unknown, { forwardTo, timeoutMs }: ListenerOptions): string {
  const { code, name, message } = cause as NodeJS.ErrnoException;
  if (name === "TimeoutError" || name === "AbortError")
    return `${forwardTo?.href} did not respond within ${timeoutMs / 1000} s`;
  return forwardTo ? describeConnectionError(forwardTo, code ?? message) : message;
}
