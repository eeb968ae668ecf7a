import { type Scheme, signRequest } from "../signature/sign-request.ts";
import type { ReceiverUrl } from "../wire/receiver-url.ts";
import type { TriggerEvent } from "./events.ts";

export interface WebhookInput {
  event: TriggerEvent;
  /** What the path and the body hold. */
  fields: Readonly<Record<string, unknown>>;
  to: ReceiverUrl;
  scheme: Scheme;
  /** Not needed for an unsigned request. */
  secret: string;
  /** The same on every attempt. */
  id: string;
  now: Date;
}

/** The bytes of one signed webhook, with the headers that the service sends. */
export function writeWebhook({ event, fields, to, scheme, secret, id, now }: WebhookInput): Buffer {
  const path = event.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(fields[name])));
  const body = Buffer.from(event.method === "POST" ? JSON.stringify(fields) : "");
  const headers: [string, string][] = [
    ["Host", `${to.host}:${to.port}`],
    ["User-Agent", "offers-cli"],
  ];
  if (!event.isUnsigned) headers.push(...signRequest(scheme, secret, { now, id, body }));
  if (!event.isRequest) headers.push(["Offers-Delivery-Id", id]);
  if (event.method === "POST")
    headers.push(["Content-Type", "application/json"], ["Content-Length", String(body.length)]);
  headers.push(["Connection", "close"]);
  const head = [`${event.method} ${to.base}${path} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1"), body]);
}
