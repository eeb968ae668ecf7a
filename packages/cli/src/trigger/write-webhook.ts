import { type Scheme, signRequest } from "../signature/sign-request.ts";
import { exchange } from "../wire/exchange.ts";
import { describeConnectionError, type ReceiverUrl } from "../wire/receiver-url.ts";
import type { TriggerEvent } from "./events.ts";

/** A webhook before it is signed. */
export interface Webhook {
  /** The HTTP method. */
  method: string;
  /** The path below the base URL. */
  path: string;
  /** The request body. Empty if the request has none. */
  body: Buffer;
  /** The id, which is the same on every attempt. */
  id: string;
  /** Whether it is sent without a signature. */
  isUnsigned?: boolean | undefined;
  /** Whether the service sends it only once, unlike an event. */
  isRequest?: boolean | undefined;
}

export interface Signing {
  scheme: Scheme;
  /** Not needed for an unsigned request. */
  secret: string;
}

/** Builds the webhook for an event. @param fields the values in the path and the body */
export function fillEvent(event: TriggerEvent, fields: Readonly<Record<string, unknown>>, id: string): Webhook {
  const { method, isUnsigned, isRequest } = event;
  const path = event.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(fields[name])));
  return {
    method,
    path,
    body: Buffer.from(method === "POST" ? JSON.stringify(fields) : ""),
    id,
    isUnsigned,
    isRequest,
  };
}

/** Creates the headers that follow the signature headers of a webhook. */
export function createUnsignedHeaders({
  id,
  isRequest,
  method,
}: Pick<Webhook, "id" | "isRequest" | "method">): [string, string][] {
  const headers: [string, string][] = [];
  if (!isRequest) headers.push(["Offers-Delivery-Id", id]);
  if (method !== "GET") headers.push(["Content-Type", "application/json"]);
  return headers;
}

/** Signs a webhook and returns the bytes of the request, with the headers that the service sends. */
function signAndSerialise(webhook: Webhook, to: ReceiverUrl, { scheme, secret }: Signing): Buffer {
  const { method, path, body, id, isUnsigned } = webhook;
  const signature = isUnsigned ? [] : signRequest(scheme, secret, { now: new Date(), id, body });
  return serialiseRequest({ method, path, headers: [...signature, ...createUnsignedHeaders(webhook)], body }, to);
}

/** Returns the bytes of a request, including its connection headers. */
export function serialiseRequest(
  {
    method,
    path,
    headers,
    body,
  }: { method: string; path: string; headers: readonly (readonly [name: string, value: string])[]; body: Buffer },
  to: ReceiverUrl,
): Buffer {
  const allHeaders = [["Host", `${to.host}:${to.port}`], ["User-Agent", "offers-cli"], ...headers];
  if (method !== "GET") allHeaders.push(["Content-Length", String(body.length)]);
  allHeaders.push(["Connection", "close"]);
  const head = [`${method} ${to.base}${path} HTTP/1.1`, ...allHeaders.map(([name, value]) => `${name}: ${value}`)];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1"), body]);
}

/** A receiver's response to a webhook. */
export interface SentWebhook {
  /** 0 if there was no response. */
  status: number;
  durationMs: number;
  /** Why the receiver could not be reached. */
  failure?: string;
}

/** Signs a webhook with the current time and sends it. Never rejects. */
export async function sendWebhook(
  webhook: Webhook,
  to: ReceiverUrl,
  signing: Signing,
  timeoutMs: number,
): Promise<SentWebhook> {
  const { responses, error, durationMs } = await exchange(to, signAndSerialise(webhook, to, signing), {
    methods: [webhook.method],
    timeoutMs,
  });
  const [response] = responses;
  const isUnreachable = !response && error !== undefined;
  return {
    status: response?.status ?? 0,
    durationMs,
    ...(isUnreachable && { failure: describeConnectionError(to, error) }),
  };
}
