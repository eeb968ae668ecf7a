import * as http from "node:http";
import * as https from "node:https";
import type { WebhookResponse } from "../http/response.ts";
import type { Transport } from "./transport.ts";

/** `node:http` and not fetch, which would join two headers of one name, and follow redirects. */
export function httpTransport(origin: URL, timeoutMs: number, close: Transport["close"]): Transport {
  const { request } = origin.protocol === "https:" ? https : http;
  return {
    send: ({ method, path, headers, body }) =>
      new Promise((resolve, reject) => {
        const length: [string, string][] = body ? [["Content-Length", String(body.length)]] : [];
        const all: [string, string][] = [["Host", origin.host], ["Connection", "close"], ...length];
        request(origin, {
          method,
          path,
          headers: [...all, ...headers].flat(),
          agent: false,
          signal: AbortSignal.timeout(timeoutMs),
        })
          .on("response", (incoming) => resolve(readResponse(incoming)))
          .on("error", reject)
          .end(body);
      }),
    close,
  };
}

async function readResponse(incoming: http.IncomingMessage): Promise<WebhookResponse> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
  const headers = Object.entries(incoming.headersDistinct).map(([name, values = []]) => [name, values.join(", ")]);
  return {
    status: incoming.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks).toString("utf8"),
  };
}
