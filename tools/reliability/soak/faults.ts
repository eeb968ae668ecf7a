import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { recipient, offer as sampleOffer } from "../../sample-offer.ts";

/** One request, and where a redirect leads. */
export interface Exchange {
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

const healthy = ({ request, response }: Exchange) => {
  const [code, body] = healthyResponse(request);
  response.writeHead(code, json).end(body);
};

const inSmallPieces = ({ request, response }: Exchange) => {
  const [code, body] = healthyResponse(request);
  response.writeHead(code, json);
  const send = (from: number): unknown =>
    from < body.length ? response.write(body.slice(from, from + 200), () => send(from + 200)) : response.end();
  send(0);
};

const resetInBody = ({ request, response }: Exchange) => {
  halfABody(response);
  // Once the half is under way.
  setTimeout(() => request.socket.resetAndDestroy(), 5);
};

const endInBody = ({ request, response }: Exchange) => {
  halfABody(response);
  request.socket.end();
};

const redirect = ({ request, response, redirectTarget }: Exchange) =>
  response.writeHead(307, { location: `${redirectTarget}${request.url}` }).end();

/**
 * The faults of one request: the share in a thousand; how a call whose last attempt met it may end, as data or with one of
 * these codes; and how the service responds.
 */
const faults = {
  healthy: [590, "data", healthy],
  "healthy, in small pieces": [10, "data", inSmallPieces],
  "reset before the response": [35, "connection_lost", ({ request }) => request.socket.resetAndDestroy()],
  "reset in the body": [20, "connection_lost", resetInBody],
  "end before the body's": [20, "connection_lost", endInBody],
  "no HTTP": [15, "connection_lost", ({ request }) => request.socket.end("SSH-2.0-OpenSSH_9.6\r\n")],
  "stall before the response": [10, "timeout", () => undefined],
  "stall in the body": [10, "timeout", ({ response }) => halfABody(response)],
  "429, again at once": [40, "rate_limited", status(429, "", { "retry-after": "0" })],
  "429, in an hour": [10, "rate_limited", status(429, "", { "retry-after": "3600" })],
  "408": [10, "bad_request", status(408)],
  "500, a web page": [25, "server_error", status(500, page, { "content-type": "text/html" })],
  "502, empty": [25, "server_error", status(502)],
  "503, problem details": [30, "server_error", status(503, '{"title":"Maintenance","status":503}', json)],
  "400": [15, "bad_request", status(400, '{"title":"Not valid","errors":{"title":["is required"]}}', json)],
  "401": [10, "unauthenticated", status(401)],
  "403": [10, "forbidden", status(403)],
  "404": [15, "not_found", status(404)],
  "409": [15, "conflict", status(409)],
  "200, a web page": [20, "invalid_response", status(200, page, { "content-type": "text/html" })],
  "200, broken JSON": [20, "invalid_response", status(200, '{"id":"offer_1"', json)],
  "200, empty": [15, "invalid_response", status(200)],
  "204": [10, "not_found", status(204)],
  "redirect to another origin": [20, "unexpected_redirect", redirect],
} as const satisfies Record<string, readonly [share: number, end: string, respond: (exchange: Exchange) => unknown]>;

export type Fault = keyof typeof faults;

const whole = Object.values(faults).reduce((sum, [share]) => sum + share, 0);

/** The fault of a call's attempt: the same for the same seed, so that a run can be repeated. */
export function faultFor(seed: number, call: number, attempt: number): Fault {
  let rest = seededRandom(seed, call, attempt) * whole;
  for (const [name, [share]] of Object.entries(faults)) {
    rest -= share;
    if (rest < 0) return name as Fault;
  }
  return "healthy";
}

/** Any body acknowledges a completion or a withdrawal, but for markup. */
const acknowledged: readonly Fault[] = ["200, broken JSON", "200, empty", "204"];

/** How a call may end whose last attempt met this fault. */
export const endsOf = (fault: Fault, operation: string): string =>
  (operation === "complete" || operation === "withdraw") && acknowledged.includes(fault)
    ? "data"
    : // A creation with an empty response has no id.
      operation === "create" && fault === "204"
      ? "invalid_response"
      : faults[fault][1];

/** Responds to one request with this fault. */
export const respond = (fault: Fault, exchange: Exchange): unknown => faults[fault][2](exchange);

/** A repeatable random number from 0 to below 1: the same for the same arguments in every process. */
export const seededRandom = (...numbers: readonly number[]): number =>
  createHash("sha256").update(numbers.join()).digest().readUInt32BE() / 2 ** 32;
