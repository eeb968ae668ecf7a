// The organisations' own system, as a process of its own: it takes what @offers/webhook-kit finds valid, tells its parent of
// each request, and treats some of them badly until it is told to behave.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { webhookListener } from "@offers/webhook-kit/node";
import { drawFault, type Fault } from "./fault.ts";
import { answerKey, contactKey } from "./keys.ts";
import type { FromReceiver, ToReceiver } from "./receiver-messages.ts";

interface Arrival {
  ordinal: number;
  fault: Fault | undefined;
}

const arrivals = new WeakMap<IncomingMessage, Arrival>();
const silent = new Set<ServerResponse>();
let ordinal = 0;
let faults = false;

const tell = (message: FromReceiver): void => void process.send?.(message);

/** Called by the kit with what it found valid. */
function take(key: string, word: string, request: IncomingMessage, deliveryId = "without an id"): void {
  const arrival = arrivals.get(request);
  // A sender that has died meanwhile is not answered.
  const isAnswered = arrival?.fault !== "hangUpAfter" && !request.socket.destroyed;
  tell({ type: "took", receipt: { ordinal: arrival?.ordinal ?? 0, deliveryId, key, word, isAnswered } });
  if (!isAnswered) request.socket.destroy();
}

function openTenant(id: string, secret: string) {
  return webhookListener({
    basePath: `/${id}`,
    secret,
    // Whatever comes again must be seen.
    receipts: false,
    onWorkerOfferResponse: ({ offerId, workerId, response }, { request, unverifiedDeliveryId }) =>
      take(answerKey(offerId, workerId), response, request, unverifiedDeliveryId),
    onWorkerAddedContact: ({ workerId }, { request, unverifiedDeliveryId }) =>
      take(contactKey(id, workerId), "added", request, unverifiedDeliveryId),
    onRejected({ reason }) {
      // Of a sender that was killed half way.
      if (reason !== "body_incomplete") tell({ type: "refused", reason });
    },
    onError: (error) => tell({ type: "refused", reason: error.code }),
  });
}

async function open({ tenants, faults: withFaults }: ToReceiver & { type: "open" }): Promise<void> {
  faults = withFaults;
  const listeners = new Map(tenants.map(({ id, secret }) => [id, openTenant(id, secret)]));
  const server = createServer(async (request, response) => {
    const [, tenant = "", ...path] = request.url?.split("/") ?? [];
    // The two tests of a base address are never made twice.
    const isEvent = path[0] !== "test";
    const fault = faults && isEvent ? drawFault(Math.random()) : undefined;
    arrivals.set(request, { ordinal: ++ordinal, fault });
    // As in any system, connections break.
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    if (fault === "error") return response.writeHead(500).end();
    if (fault === "busy") return response.writeHead(503, { "retry-after": "1" }).end();
    if (fault === "hangUp") return response.destroy();
    if (fault === "silence") return silent.add(response);
    if (fault === "slow") await sleep(200 + Math.random() * 1_000);
    const listener = listeners.get(tenant);
    if (listener === undefined) return response.writeHead(404).end();
    listener(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  tell({ type: "listening", address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

process.on("message", (message: ToReceiver) => {
  if (message.type === "open") return void open(message);
  faults = false;
  for (const response of silent) response.destroy();
});
process.on("disconnect", () => process.exit());
// It ends with its parent, not before it.
process.on("SIGINT", () => undefined);
