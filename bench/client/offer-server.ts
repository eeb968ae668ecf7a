// Runs in a separate process, so that the server's work is not counted as the client's.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { apiKey, input, offer } from "./candidate.ts";
import { pathPrefix } from "./path-prefix.ts";

const offerBody = JSON.stringify(offer);
const createdBody = JSON.stringify({ id: offer.id });
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  response.setHeader("content-type", "application/json");
  if (isCompleteRequest(request, body)) {
    response.end(request.method === "POST" ? createdBody : offerBody);
  } else {
    response.statusCode = 400;
    response.end("{}");
  }
});

/** Returns whether a request has all required headers, parameters and fields. A candidate that left some out would win unfairly. */
function isCompleteRequest({ method, url, headers }: IncomingMessage, body: string): boolean {
  if (headers["x-ue-api-subscription-key"] !== apiKey || !headers.accept?.includes("application/json")) return false;
  if (method === "GET") return url === `${pathPrefix}/offer/${offer.id}?api-version=1.0` && body === "";
  if (method !== "POST" || url !== `${pathPrefix}/offer?api-version=1.0`) return false;
  if (!headers["content-type"]?.startsWith("application/json") || !headers["idempotency-key"]) return false;
  return isDeepStrictEqual(parseJson(body), input);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit());
