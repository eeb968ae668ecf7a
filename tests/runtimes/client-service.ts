import type { RequestListener, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { listen } from "../../scripts/processes/listen.ts";
import { offer, recipient } from "../../scripts/sample-offer.ts";

export interface ClientService {
  /** The argument of client-scenario.mjs. */
  addresses: { baseUrl: string; unreachableUrl: string };
  /** Descriptions of unexpected requests. */
  faults: readonly string[];
  close(): Promise<unknown>;
}

const send = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

/** Starts a loopback service. Its response depends on the offer id, or on the title of a new offer, as client-scenario.mjs expects. */
export async function startClientService(): Promise<ClientService> {
  const faults: string[] = [];
  const keys: unknown[] = [];
  const redirectTarget = await listen((_, response) => {
    faults.push("a request to the redirect's target");
    response.end();
  });
  const unreachable = await listen();
  await unreachable.close();

  let watchedRequests = 0;
  let flakyRequests = 0;
  const getResponders: Record<string, (response: ServerResponse) => unknown> = {
    offer_1: (response) => send(response, 200, offer, { "x-request-id": "request_1" }),
    missing: (response) => send(response, 404, { title: "No such offer", detail: "demo-key" }),
    page: (response) => response.setHeader("content-type", "text/html").end("<!doctype html><title>Sign in</title>"),
    flaky: (response) =>
      ++flakyRequests === 1 ? send(response, 503, {}, { "retry-after": "0" }) : send(response, 200, offer),
    silent: () => undefined,
    halfway: (response) => response.writeHead(200, { "content-length": "100" }).write('{"id":'),
    throttled: (response) => send(response, 429, {}, { "retry-after": "20" }),
    moved: (response) => response.writeHead(302, { location: `${redirectTarget.address}/offer/moved` }).end(),
    cut(response) {
      response.writeHead(200, { "content-length": "100" }).write('{"id":');
      setTimeout(() => response.destroy(), 50);
    },
    watched(response) {
      const amal = recipient(1, "Amal", ++watchedRequests === 1 ? "none" : "applied");
      send(response, 200, { ...offer, complete: watchedRequests > 1, recipients: [amal, recipient(2, "Ben", "none")] });
    },
  };

  const serve: RequestListener = async (request, response) => {
    const { method, headers, url = "" } = request;
    const body = await text(request);
    if (headers["x-ue-api-subscription-key"] !== "demo-key") faults.push("an invalid key");
    const key = headers["idempotency-key"];
    if (method === "POST" && (!key || keys.includes(key))) faults.push("a POST without a new idempotency key");
    keys.push(key);
    const [, id = ""] = /^\/v1\/offer\/([^/?]+)\?api-version=1\.0$/.exec(url) ?? [];
    if (method === "GET" && getResponders[id]) return getResponders[id](response);
    if (method === "GET" && url === "/v1/offer/an%20id%20%2F%20with%20%C3%BC%3F/withdraw?api-version=1.0")
      return response.writeHead(204).end();
    if (method === "POST" && url === "/v1/offer/offer_1/complete?api-version=1.0" && body === '["worker_amal"]')
      return response.writeHead(204).end();
    if (method === "POST" && url === "/v1/offer?api-version=1.0") {
      const { title, events } = JSON.parse(body) as { title: string; events: unknown };
      if (JSON.stringify(events) !== JSON.stringify(offer.events)) faults.push(`the events ${JSON.stringify(events)}`);
      if (title === "reset") return request.socket.resetAndDestroy();
      return title === "unavailable" ? send(response, 503, {}) : send(response, 201, { id: "offer_1" });
    }
    faults.push(`${method} ${url}`);
    return response.writeHead(500).end();
  };
  const service = await listen(serve);
  return {
    addresses: { baseUrl: `${service.address}/v1/`, unreachableUrl: unreachable.address },
    faults,
    close: () => Promise.all([service.close(), redirectTarget.close()]),
  };
}
