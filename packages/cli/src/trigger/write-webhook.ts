import { randomUUID } from "node:crypto";
import type { Scheme } from "../corpus/scheme.ts";
import type { ReceiverUrl } from "../exchange/read-url.ts";
import { signRequest } from "../signature/sign-request.ts";
import type { TriggerEvent } from "./events.ts";

export interface WebhookInput {
  event: TriggerEvent;
  fields: TriggerEvent["fields"];
  to: ReceiverUrl;
  scheme: Scheme;
  /** Not needed for an unsigned request. */
  secret: string;
  now: Date;
}

/** The bytes of one signed webhook, with the headers that the service sends. */
export function writeWebhook({ event, fields, to, scheme, secret, now }: WebhookInput): Buffer {
  const path = event.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(fields[name])));
  const body = Buffer.from(event.method === "POST" ? JSON.stringify(fields) : "");
  const id = `delivery_${randomUUID()}`;
  const isDelivery = !["test", "test-auth", "contact-suggestions"].includes(event.name);
  const headers: [string, string][] = [
    ["Host", `${to.host}:${to.port}`],
    ["User-Agent", "offers-cli"],
    ...(event.isUnsigned ? [] : signRequest(scheme, secret, { now, id, body })),
    ...(isDelivery ? [["Offers-Delivery-Id", id] as [string, string]] : []),
    ...(event.method === "POST"
      ? ([
          ["Content-Type", "application/json"],
          ["Content-Length", String(body.length)],
        ] as [string, string][])
      : []),
    ["Connection", "close"],
  ];
  const head = [`${event.method} ${to.base}${path} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1"), body]);
}
