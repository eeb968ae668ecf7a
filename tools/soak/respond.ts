import type { IncomingMessage, ServerResponse } from "node:http";
import { recipient, offer as sampleOffer } from "../sample-offer.ts";
import type { Fault } from "./fault-plan.ts";

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  redirectTarget: string;
}

const page = "<!doctype html><title>Bad gateway</title>";
const json = { "content-type": "application/json" };
const offer = JSON.stringify({
  ...sampleOffer,
  recipients: Array.from({ length: 10 }, (_, id) => recipient(id, "Amal", "none")),
});

/** Status and body of each healthy response. */
const healthyResponse = ({ method, url }: IncomingMessage): readonly [number, string] => {
  if (url?.includes("/complete") || url?.includes("/withdraw")) return [204, ""];
  return method === "POST" ? [201, '"offer_1"'] : [200, offer];
};

const halfABody = (response: ServerResponse) => {
  response.writeHead(200, { ...json, "content-length": offer.length });
  response.write(offer.slice(0, 40));
};

const status =
  (code: number, body = "", headers: Record<string, string> = {}) =>
  ({ response }: Exchange) =>
    response.writeHead(code, headers).end(body);

const responders: Record<Fault, (exchange: Exchange) => unknown> = {
  healthy: ({ request, response }) =>
    response.writeHead(healthyResponse(request)[0], json).end(healthyResponse(request)[1]),
  "healthy, in small pieces": ({ request, response }) => {
    const [code, body] = healthyResponse(request);
    response.writeHead(code, json);
    const send = (from: number): unknown =>
      from < body.length ? response.write(body.slice(from, from + 200), () => send(from + 200)) : response.end();
    send(0);
  },
  "reset before the response": ({ request }) => request.socket.resetAndDestroy(),
  "reset in the body": ({ request, response }) => {
    halfABody(response);
    // Once the half is under way.
    setTimeout(() => request.socket.resetAndDestroy(), 5);
  },
  "end before the body's": ({ request, response }) => {
    halfABody(response);
    request.socket.end();
  },
  "no HTTP": ({ request }) => request.socket.end("SSH-2.0-OpenSSH_9.6\r\n"),
  "stall before the response": () => undefined,
  "stall in the body": ({ response }) => halfABody(response),
  "429, again at once": status(429, "", { "retry-after": "0" }),
  "429, in an hour": status(429, "", { "retry-after": "3600" }),
  "408": status(408),
  "500, a web page": status(500, page, { "content-type": "text/html" }),
  "502, empty": status(502),
  "503, problem details": status(503, '{"title":"Maintenance","status":503}', json),
  "400": status(400, '{"title":"Not valid","errors":{"title":["is required"]}}', json),
  "401": status(401),
  "403": status(403),
  "404": status(404),
  "409": status(409),
  "200, a web page": status(200, page, { "content-type": "text/html" }),
  "200, broken JSON": status(200, '{"id":"offer_1"', json),
  "200, empty": status(200),
  "204": status(204),
  "redirect to another origin": ({ request, response, redirectTarget }) =>
    response.writeHead(307, { location: `${redirectTarget}${request.url}` }).end(),
};

/** Responds to one request with this fault. */
export const respond = (fault: Fault, exchange: Exchange): unknown => responders[fault](exchange);
