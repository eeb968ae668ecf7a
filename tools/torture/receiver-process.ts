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
let mostAtOnce = 0;
/** Until when what comes in may be of a sender that is disowned. */
let disownedUntil = 0;
const disownMs = 1_000;

/** One organisation's system. */
interface Tenant {
  listener: ReturnType<typeof openTenant>;
  underWay: Set<ServerResponse>;
  requests: number;
  /** Until when it answers nothing. */
  hangsUntil: number;
}

const tenants = new Map<string, Tenant>();
const hangMs = 5_000;
/** A tenant hangs from its 20th request on, and again after so many more: others pile up meanwhile, up to what it may get. */
const firstHang = 20;
const hangEvery = 600;

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
    deduplication: false,
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

async function open({ tenants: opened, faults: withFaults }: ToReceiver & { type: "open" }): Promise<void> {
  faults = withFaults;
  for (const { id, secret } of opened)
    tenants.set(id, { listener: openTenant(id, secret), underWay: new Set(), requests: 0, hangsUntil: 0 });
  const server = createServer(async (request, response) => {
    const [, id = "", ...path] = request.url?.split("/") ?? [];
    const tenant = tenants.get(id);
    if (tenant === undefined) return response.writeHead(404).end();
    // The two tests of a base address are never made twice.
    const isEvent = path[0] !== "test";
    const fault = faults && isEvent ? drawFault(Math.random()) : undefined;
    arrivals.set(request, { ordinal: ++ordinal, fault });
    // As in any system, connections break.
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    if (isEvent) countUnderWay(tenant, response);
    if (fault === "error") return response.writeHead(500).end();
    if (fault === "busy") return response.writeHead(503, { "retry-after": "1" }).end();
    if (fault === "hangUp") return response.destroy();
    if (fault === "silence") return silent.add(response);
    if (fault === "slow") await sleep(200 + Math.random() * 1_000);
    if (faults && isEvent) await hang(tenant);
    tenant.listener(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  tell({ type: "listening", address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

function countUnderWay({ underWay }: Tenant, response: ServerResponse): void {
  if (performance.now() < disownedUntil) return;
  underWay.add(response);
  for (const end of ["finish", "close"]) response.once(end, () => underWay.delete(response));
  if (underWay.size <= mostAtOnce) return;
  mostAtOnce = underWay.size;
  tell({ type: "peak", atOnce: mostAtOnce });
}

async function hang(tenant: Tenant): Promise<void> {
  const now = performance.now();
  tenant.requests += 1;
  if (tenant.requests % hangEvery === firstHang) tenant.hangsUntil = now + hangMs;
  if (tenant.hangsUntil > now) await sleep(tenant.hangsUntil - now);
}

function disown(): void {
  for (const { underWay } of tenants.values()) underWay.clear();
  disownedUntil = performance.now() + disownMs;
}

process.on("message", (message: ToReceiver) => {
  if (message.type === "open") return void open(message);
  if (message.type === "disown") return disown();
  faults = false;
  for (const response of silent) response.destroy();
});
process.on("disconnect", () => process.exit());
// It ends with its parent, not before it.
process.on("SIGINT", () => undefined);
